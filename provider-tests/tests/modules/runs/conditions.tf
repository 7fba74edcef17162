# Conditions, checks and the data sources in them.

### a_precondition_that_holds
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root != "x"
      error_message = "No."
    }
  }
}

### a_precondition_that_does_not_hold
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = "No."
    }
  }
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}

### a_precondition_known_at_apply
resource "terraform_data" "b" {
  input = 1
}
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = terraform_data.b.id == "x"
      error_message = "No."
    }
  }
}

### a_precondition_that_is_null
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "" ? true : null
      error_message = "No."
    }
  }
}

### a_precondition_that_is_text
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = "${path.root}x"
      error_message = "No."
    }
  }
}

### a_precondition_that_is_the_text_true
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "" ? "false" : "true"
      error_message = "No."
    }
  }
}

### a_precondition_that_cannot_be_computed
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = tonumber("${path.root}x") == 1
      error_message = "No."
    }
  }
}

### a_precondition_with_self
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = self.id == "x"
      error_message = "No."
    }
  }
}

### a_precondition_about_itself
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = terraform_data.a.id == "x"
      error_message = "No."
    }
  }
}

### two_preconditions_that_do_not_hold
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = "No."
    }
    precondition {
      condition     = path.root == "y"
      error_message = "No."
    }
  }
}

### a_precondition_of_each_instance
resource "terraform_data" "a" {
  count = 2
  input = 1
  lifecycle {
    precondition {
      condition     = count.index != 1
      error_message = "No."
    }
  }
}

### a_postcondition_that_holds
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    postcondition {
      condition     = self.input == 1
      error_message = "No."
    }
  }
}

### a_postcondition_that_does_not_hold
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    postcondition {
      condition     = self.input == 2
      error_message = "No."
    }
  }
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}

### a_postcondition_known_at_apply
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    postcondition {
      condition     = self.id == "x"
      error_message = "No."
    }
  }
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}

### a_postcondition_about_itself
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    postcondition {
      condition     = terraform_data.a.id == "x"
      error_message = "No."
    }
  }
}

### a_postcondition_of_each_instance
resource "terraform_data" "a" {
  for_each = { k = 1, l = 2 }
  input = each.value
  lifecycle {
    postcondition {
      condition     = self.input == 1 || each.key == "m"
      error_message = "No."
    }
  }
}

### a_postcondition_with_an_unknown_attribute
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    postcondition {
      condition     = self.nope == 1
      error_message = "No."
    }
  }
}

### a_message_that_is_a_number
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = 5
    }
  }
}

### a_message_that_is_a_list
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = []
    }
  }
}

### a_message_that_is_null
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = null
    }
  }
}

### a_message_known_at_apply
resource "terraform_data" "b" {
  input = 1
}
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = "${terraform_data.b.id}"
    }
  }
}

### a_message_with_a_secret
variable "s" {
  default   = "x"
  sensitive = true
}
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = var.s == "y"
      error_message = "No ${var.s}."
    }
  }
}

### a_message_with_a_secret_that_is_not_needed
variable "s" {
  default   = "x"
  sensitive = true
}
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = var.s == "x"
      error_message = "No ${var.s}."
    }
  }
}

### a_message_with_something_ephemeral
variable "e" {
  default   = "x"
  ephemeral = true
}
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = var.e == "y"
      error_message = "No ${var.e}."
    }
  }
}

### a_condition_of_something_secret
variable "s" {
  default   = "x"
  sensitive = true
}
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = var.s == "x"
      error_message = "No."
    }
  }
}

### a_condition_of_something_ephemeral
variable "e" {
  default   = "x"
  ephemeral = true
}
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = var.e == "x"
      error_message = "No."
    }
  }
}

### an_output_whose_precondition_does_not_hold
resource "terraform_data" "a" {
  input = 1
}
output "o" {
  value = 1
  precondition {
    condition     = path.root == "x"
    error_message = "No."
  }
}

### an_output_whose_precondition_fails_at_apply
resource "terraform_data" "a" {
  input = 1
}
output "o" {
  value = 1
  precondition {
    condition     = terraform_data.a.id == "x"
    error_message = "No."
  }
}

### an_output_whose_precondition_holds
resource "terraform_data" "a" {
  input = 1
}
output "o" {
  value = terraform_data.a.output
  precondition {
    condition     = terraform_data.a.input == 1
    error_message = "No."
  }
}

### a_module_output_whose_precondition_does_not_hold
module "m" {
  source = "./checked"
  x = "worse"
}
output "o" {
  value = module.m.out
}

### a_module_output_whose_precondition_fails_at_apply
resource "terraform_data" "a" {
  input = "worse"
}
module "m" {
  source = "./checked"
  x = terraform_data.a.output
}
output "o" {
  value = module.m.out
}

### a_variable_of_a_module_that_is_not_valid
module "m" {
  source = "./checked"
  x = "bad"
}

### a_variable_of_a_module_that_is_found_not_valid
resource "terraform_data" "a" {
  input = "bad"
}
module "m" {
  source = "./checked"
  x = terraform_data.a.output
}

### a_variable_of_a_module_that_is_found_valid
resource "terraform_data" "a" {
  input = "good"
}
module "m" {
  source = "./checked"
  x = terraform_data.a.output
}
output "o" {
  value = module.m.out
}

### a_check_that_holds
check "c" {
  assert {
    condition     = path.root != "x"
    error_message = "No."
  }
}

### a_check_that_does_not_hold
check "c" {
  assert {
    condition     = path.root == "x"
    error_message = "No."
  }
}
resource "terraform_data" "a" {
  input = 1
}

### a_check_known_at_apply
resource "terraform_data" "a" {
  input = 1
}
check "c" {
  assert {
    condition     = terraform_data.a.id != "x"
    error_message = "No."
  }
}

### a_check_that_fails_at_apply
resource "terraform_data" "a" {
  input = 1
}
check "c" {
  assert {
    condition     = terraform_data.a.id == "x"
    error_message = "No."
  }
}

### a_check_that_is_null
check "c" {
  assert {
    condition     = path.root == "" ? true : null
    error_message = "No."
  }
}

### a_check_that_cannot_be_computed
check "c" {
  assert {
    condition     = tonumber("${path.root}x") == 1
    error_message = "No."
  }
}

### a_check_with_a_secret_message
variable "s" {
  default   = "x"
  sensitive = true
}
check "c" {
  assert {
    condition     = var.s == "y"
    error_message = "No ${var.s}."
  }
}

### a_check_of_a_resource_that_fails
resource "terraform_data" "a" {
  input = 1
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = "No."
    }
  }
}
check "c" {
  assert {
    condition     = terraform_data.a.id == "x"
    error_message = "No."
  }
}

### a_check_with_two_assertions
check "c" {
  assert {
    condition     = path.root == "x"
    error_message = "A."
  }
  assert {
    condition     = path.root == "y"
    error_message = "B."
  }
}

### a_check_in_a_module_call_argument
module "m" {
  source = "./takes"
  x = 1
}
check "c" {
  assert {
    condition     = module.m.out == 2
    error_message = "No."
  }
}

### a_check_whose_data_source_fails
check "c" {
  data "terraform_remote_state" "d" {
    backend = "local"
    config = {
      path = "DIRECTORY/nope.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.d.outputs.x == 1
    error_message = "No."
  }
}
resource "terraform_data" "a" {
  input = 1
}

### a_check_whose_data_source_is_read
check "c" {
  data "terraform_remote_state" "d" {
    backend = "local"
    config = {
      path = "DIRECTORY/other.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.d.outputs.x == 1
    error_message = "No."
  }
}
resource "terraform_data" "a" {
  input = 1
}

### a_check_whose_data_source_says_no
check "c" {
  data "terraform_remote_state" "d" {
    backend = "local"
    config = {
      path = "DIRECTORY/other.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.d.outputs.x == 2
    error_message = "No."
  }
}

### a_data_source_of_a_check_elsewhere
check "c" {
  data "terraform_remote_state" "d" {
    backend = "local"
    config = {
      path = "DIRECTORY/other.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.d.outputs.x == 1
    error_message = "No."
  }
}
output "o" {
  value = data.terraform_remote_state.d.outputs
}

### a_data_source_of_a_check_in_another
check "c" {
  data "terraform_remote_state" "d" {
    backend = "local"
    config = {
      path = "DIRECTORY/other.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.d.outputs.x == 1
    error_message = "No."
  }
}
check "e" {
  assert {
    condition     = data.terraform_remote_state.d.outputs.x == 1
    error_message = "No."
  }
}

### a_data_source_in_a_check_and_beside
check "c" {
  data "terraform_remote_state" "d" {
    backend = "local"
    config = {
      path = "DIRECTORY/other.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.d.outputs.x == 1
    error_message = "No."
  }
}
data "terraform_remote_state" "d" {
  backend = "local"
  config = {
    path = "DIRECTORY/other.tfstate"
  }
}

### a_data_source_that_fails
data "terraform_remote_state" "d" {
  backend = "local"
  config = {
    path = "DIRECTORY/nope.tfstate"
  }
}
resource "terraform_data" "a" {
  input = 1
}

### a_data_source_with_outputs
data "terraform_remote_state" "d" {
  backend = "local"
  config = {
    path = "DIRECTORY/other.tfstate"
  }
}
output "x" {
  value = data.terraform_remote_state.d.outputs.x
}
resource "terraform_data" "a" {
  input = data.terraform_remote_state.d.outputs
}

### a_data_source_with_a_precondition
data "terraform_remote_state" "d" {
  backend = "local"
  config = {
    path = "DIRECTORY/other.tfstate"
  }
  lifecycle {
    precondition {
      condition     = path.root == "x"
      error_message = "No."
    }
  }
}

### a_data_source_with_a_postcondition
data "terraform_remote_state" "d" {
  backend = "local"
  config = {
    path = "DIRECTORY/other.tfstate"
  }
  lifecycle {
    postcondition {
      condition     = self.outputs.x == 2
      error_message = "No."
    }
  }
}

### a_data_source_that_waits
resource "terraform_data" "a" {
  input = "DIRECTORY/other.tfstate"
}
data "terraform_remote_state" "d" {
  backend = "local"
  config = {
    path = terraform_data.a.output
  }
}
output "x" {
  value = data.terraform_remote_state.d.outputs.x
}

### a_data_source_that_waits_for_depends_on
resource "terraform_data" "a" {
  input = 1
}
data "terraform_remote_state" "d" {
  backend = "local"
  config = {
    path = "DIRECTORY/other.tfstate"
  }
  depends_on = [terraform_data.a]
}

### a_data_source_with_defaults
data "terraform_remote_state" "d" {
  backend  = "local"
  config   = { path = "DIRECTORY/other.tfstate" }
  defaults = { y = 2, x = 3 }
}
output "o" {
  value = data.terraform_remote_state.d.outputs
}
