# Variables, types and expressions.

### any_is_resolved_to_one_type
variable "v" {
  type    = list(any)
  default = ["a", 1, "b"]
}
output "o" {
  value = var.v
}

### any_cannot_be_resolved
variable "v" {
  type    = list(any)
  default = ["a", [], "b"]
}
output "o" {
  value = var.v
}

### a_surplus_attribute_is_dropped
variable "v" {
  type    = object({ a = string })
  default = { a = "x", b = 1 }
}
output "o" {
  value = var.v
}

### a_missing_attribute_is_refused
variable "v" {
  type    = object({ a = string, b = number })
  default = { a = "x" }
}

### defaults_from_the_top_down
variable "v" {
  type    = object({ a = optional(object({ b = optional(number, 1), c = string }), { c = "x" }) })
  default = {}
}
output "o" {
  value = var.v
}

### an_explicit_null_takes_the_default
variable "v" {
  type    = object({ a = optional(string, "d") })
  default = { a = null }
}
output "o" {
  value = var.v
}

### a_map_as_an_object
variable "v" {
  type    = object({ a = string, b = optional(string) })
  default = { a = 1 }
}
output "o" {
  value = var.v
}

### a_set_without_repetitions
variable "v" {
  type    = set(string)
  default = ["b", "a", "b"]
}
output "o" {
  value = var.v
}

### a_tuple_of_the_wrong_length
variable "v" {
  type    = tuple([string, number])
  default = ["a"]
}

### a_list_as_a_tuple_is_refused
variable "v" {
  type    = tuple([string, string])
  default = tolist(["a", "b"])
}

### not_nullable_takes_the_default
variable "v" {
  type    = string
  default = "d"
  nullable = false
}
output "o" {
  value = var.v
}

### a_null_for_a_module_variable
module "m" {
  source = "./takes"
  x = null
}
output "o" {
  value = module.m.out == null
}

### a_validation_with_can
variable "v" {
  type    = string
  default = "5"
  validation {
    condition     = can(tonumber(var.v))
    error_message = "A number."
  }
}
output "o" {
  value = var.v
}

### a_validation_that_fails
variable "v" {
  type    = string
  default = "x"
  validation {
    condition     = can(tonumber(var.v))
    error_message = "A number."
  }
}

### two_validations_that_fail
variable "v" {
  type    = string
  default = "x"
  validation {
    condition     = length(var.v) > 3
    error_message = "Long."
  }
  validation {
    condition     = var.v == "y"
    error_message = "Y."
  }
}

### a_validation_by_another_variable
variable "w" {
  default   = 1
}
variable "v" {
  type    = number
  default = 2
  validation {
    condition     = var.v == var.w
    error_message = "Equal."
  }
}

### a_validation_that_is_null
variable "v" {
  type    = string
  default = null
  validation {
    condition     = var.v == null ? null : true
    error_message = "No."
  }
}

### a_legacy_splat
resource "terraform_data" "a" {
  count = 2
  input = { a = [count.index] }
}
output "o" {
  value = terraform_data.a.*.output.a[0]
}

### a_full_splat
resource "terraform_data" "a" {
  count = 2
  input = { a = [count.index] }
}
output "o" {
  value = terraform_data.a[*].output.a[0]
}

### a_splat_on_null_and_scalar
output "a" {
  value = null[*]
}
output "b" {
  value = "x"[*]
}

### grouping
output "o" {
  value = { for k, v in { a = "x", b = "y", c = "x" } : v => k... }
}

### a_key_twice_without_grouping
output "o" {
  value = { for k in ["x", "x"] : k => 1 }
}

### spreading
output "o" {
  value = max([1, 3, 2]...)
}

### a_heredoc
output "o" {
  value = <<-E
    a
      b ${1 + 1}
    %{ if true ~}
    c
    %{ endif ~}
  E
}

### escapes_in_templates
output "o" {
  value = "$${a} %%{b} \"\n\u00e9"
}

### a_conditional_of_two_types
output "o" {
  value = true ? 1 : "x"
}

### a_conditional_that_does_not_fit
output "o" {
  value = true ? [1] : { a = 1 }
}

### an_index_that_is_not_there
output "o" {
  value = [1, 2][2]
}

### a_division_by_zero
output "o" {
  value = 1 / 0
}

### big_numbers
output "o" {
  value = 12345678901234567890123456789 + 1
}
output "p" {
  value = 0.1 + 0.2
}

### try_and_can
output "o" {
  value = try(tonumber("x"), "y")
}
output "p" {
  value = can(tonumber("x"))
}

### equality_of_types
output "o" {
  value = [1 == "1", tolist([1]) == [1], null == null]
}

### a_dynamic_depth
variable "v" {
  default   = { a = [{ b = 1 }] }
}
output "o" {
  value = var.v.a[0].b
}

### path_values
output "o" {
  value = path.module == path.root
}

### a_file
output "o" {
  value = fileexists("DIRECTORY/other.tfstate")
}

### templates_of_files
output "o" {
  value = length(file("DIRECTORY/m/main.tf")) > 1
}

### an_unknown_function_argument
output "o" {
  value = upper()
}

### wrong_function_argument
output "o" {
  value = upper([])
}

### jsonencode_of_unknown
resource "terraform_data" "a" {
  input = 1
}
output "o" {
  value = jsonencode({ a = terraform_data.a.id }) != ""
}

### null_in_a_template
output "o" {
  value = "${null}"
}

### a_sensitive_part_in_a_template
variable "s" {
  default   = "x"
  sensitive = true
}
output "o" {
  value = "x${var.s}"
}

### nonsensitive
variable "s" {
  default   = "x"
  sensitive = true
}
output "o" {
  value = nonsensitive(var.s)
}

### issensitive
variable "s" {
  default   = "x"
  sensitive = true
}
output "o" {
  value = issensitive(var.s)
}

### a_local_of_locals
locals {
  a = 1
  b = local.a + 1
  c = [local.a, local.b]
}
output "o" {
  value = local.c
}

### an_error_in_an_unused_local
locals {
  a = tonumber("x")
}

### an_error_in_a_used_local
locals {
  a = tonumber("x")
}
output "o" {
  value = local.a
}
resource "terraform_data" "a" {
  input = local.a
}

### a_null_map_for_each
resource "terraform_data" "a" {
  for_each = null
}

### a_number_as_key
resource "terraform_data" "a" {
  for_each = { 1 = "a" }
  input    = each.value
}
output "o" {
  value = terraform_data.a["1"].output
}

### a_count_that_is_text
resource "terraform_data" "a" {
  count = "2"
}

### a_count_that_is_a_fraction
resource "terraform_data" "a" {
  count = 1.5
}

### moves_between_modules
resource "terraform_data" "a" {
  input = "x"
}

### then
module "m" {
  source = "./keeps"
}
moved {
  from = terraform_data.a
  to   = module.m.terraform_data.a
}

### a_resource_in_a_module
module "m" {
  source = "./keeps"
}
output "o" {
  value = module.m.out
}

### a_module_that_depends
resource "terraform_data" "b" {
  input = 1
}
module "m" {
  source = "./keeps"
  depends_on = [terraform_data.b]
}

### a_module_output_that_is_an_object
module "m" {
  source = "./keeps"
}
output "o" {
  value = module.m
}
