# Values that are secret, ephemeral, or others each time.

### ephemeral_in_a_resource
variable "e" {
  default   = "x"
  ephemeral = true
}
resource "terraform_data" "a" {
  input = var.e
}

### ephemeral_in_a_trigger
variable "e" {
  default   = "x"
  ephemeral = true
}
resource "terraform_data" "a" {
  triggers_replace = [var.e]
}

### ephemeral_in_an_output
variable "e" {
  default   = "x"
  ephemeral = true
}
output "o" {
  value = var.e
}

### ephemeral_in_an_ephemeral_output
variable "e" {
  default   = "x"
  ephemeral = true
}
output "o" {
  value = var.e
  ephemeral = true
}

### ephemeral_in_a_local_value
variable "e" {
  default   = "x"
  ephemeral = true
}
locals {
  l = "${var.e}y"
}
output "o" {
  value = ephemeralasnull(local.l)
}

### an_output_of_an_ephemeral_local_value
variable "e" {
  default   = "x"
  ephemeral = true
}
locals {
  l = "${var.e}y"
}
output "o" {
  value = local.l
}

### an_ephemeral_count
variable "e" {
  default   = 1
  ephemeral = true
}
resource "terraform_data" "a" {
  count = var.e
}

### an_ephemeral_for_each
variable "e" {
  default   = {}
  ephemeral = true
}
resource "terraform_data" "a" {
  for_each = var.e
}

### an_ephemeral_key
variable "e" {
  default   = "x"
  ephemeral = true
}
resource "terraform_data" "a" {
  for_each = toset([var.e])
}

### ephemeral_in_a_data_source
variable "e" {
  default   = "x"
  ephemeral = true
}
data "terraform_remote_state" "d" {
  backend = "local"
  config  = { path = var.e }
}

### ephemeral_in_a_check
variable "e" {
  default   = "x"
  ephemeral = true
}
check "c" {
  assert {
    condition     = var.e == "y"
    error_message = "No."
  }
}

### ephemeral_in_a_validation
variable "e" {
  default   = "x"
  ephemeral = true
  validation {
    condition     = var.e == "y"
    error_message = "No."
  }
}

### an_ephemeral_message_of_a_validation
variable "e" {
  default   = "x"
  ephemeral = true
  validation {
    condition     = var.e == "y"
    error_message = "No ${var.e}."
  }
}

### a_secret_message_of_a_validation
variable "e" {
  default   = "x"
  sensitive = true
  validation {
    condition     = var.e == "y"
    error_message = "No ${var.e}."
  }
}

### ephemeral_without_value
variable "e" {
  ephemeral = true
}

### ephemeral_as_import_id
variable "e" {
  default   = "x"
  ephemeral = true
}
import {
  to = terraform_data.a
  id = var.e
}
resource "terraform_data" "a" {
  input = 1
}

### ephemeral_for_a_plain_variable
variable "e" {
  default   = "x"
  ephemeral = true
}
module "m" {
  source = "./takes"
  x = var.e
}

### ephemeral_through_a_module
variable "e" {
  default   = "x"
  ephemeral = true
}
module "m" {
  source = "./hides"
  x = var.e
}
output "o" {
  value = ephemeralasnull(module.m.out)
}

### ephemeral_out_of_a_module_in_a_resource
variable "e" {
  default   = "x"
  ephemeral = true
}
module "m" {
  source = "./hides"
  x = var.e
}
resource "terraform_data" "a" {
  input = module.m.out
}

### a_plain_value_through_an_ephemeral_module
module "m" {
  source = "./hides"
  x = 1
}
output "o" {
  value = module.m.out
}

### a_module_that_leaks
variable "e" {
  default   = "x"
  ephemeral = true
}
module "m" {
  source = "./leaks"
  x = var.e
}

### an_ephemeral_module_count
variable "e" {
  default   = 1
  ephemeral = true
}
module "m" {
  source = "./takes"
  count = var.e
  x = 1
}

### a_secret_out_of_a_module
module "m" {
  source = "./secret"
}

### a_secret_out_of_a_module_in_an_output
module "m" {
  source = "./secret"
}
output "o" {
  value = module.m.out
}

### a_secret_out_of_a_module_in_a_secret_output
module "m" {
  source = "./secret"
}
output "o" {
  value = module.m.out
  sensitive = true
}

### a_secret_in_a_resource
variable "s" {
  default   = "x"
  sensitive = true
}
resource "terraform_data" "a" {
  input = var.s
}
output "o" {
  value = terraform_data.a.output
  sensitive = true
}

### a_secret_in_a_part_of_a_resource
variable "s" {
  default   = "x"
  sensitive = true
}
resource "terraform_data" "a" {
  input = { a = 1, b = var.s }
}
output "o" {
  value = terraform_data.a.input.a
}

### a_secret_count
variable "s" {
  default   = 2
  sensitive = true
}
resource "terraform_data" "a" {
  count = var.s
}

### a_secret_for_each
variable "s" {
  default   = { a = 1 }
  sensitive = true
}
resource "terraform_data" "a" {
  for_each = var.s
}

### the_time_of_apply
resource "terraform_data" "a" {
  input = timestamp()
}

### the_time_of_plan
resource "terraform_data" "a" {
  input = plantimestamp()
}
output "same" {
  value = terraform_data.a.output == plantimestamp()
}

### a_new_uuid_for_all
locals {
  u = uuid()
}
resource "terraform_data" "a" {
  input = local.u
}
resource "terraform_data" "b" {
  input = local.u
}
output "same" {
  value = terraform_data.a.output == terraform_data.b.output
}

### two_new_uuids
resource "terraform_data" "a" {
  input = uuid()
}
resource "terraform_data" "b" {
  input = uuid()
}
output "same" {
  value = terraform_data.a.output == terraform_data.b.output
}

### a_count_of_the_time
resource "terraform_data" "a" {
  count = length(timestamp())
}

### a_uuid_in_an_output
output "l" {
  value = length(uuid())
}

### a_time_that_is_computed
output "l" {
  value = length(timeadd(timestamp(), "1h"))
}

### a_new_time_each_apply
resource "terraform_data" "a" {
  input = timestamp()
}

### then
resource "terraform_data" "a" {
  input = timestamp()
}
