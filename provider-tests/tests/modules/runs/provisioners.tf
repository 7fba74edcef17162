# Commands at creation and destruction.

### a_command_of_the_object
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "test '${self.input}' = x"
  }
}

### a_command_that_fails
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
  }
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}

### a_command_that_may_fail
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
    on_failure = continue
  }
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}

### two_commands_of_which_the_first_fails
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
  }
  provisioner "local-exec" {
    command = "exit 4"
  }
}

### two_commands_of_which_the_second_fails
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true"
  }
  provisioner "local-exec" {
    command = "exit 4"
  }
}

### a_command_with_an_environment
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "test $A = 1 && test $B = x"
    environment = {
      A = 1
      B = self.output
    }
  }
}

### a_command_in_a_directory
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "test $(pwd) = /"
    working_dir = "/"
  }
}

### a_command_in_no_directory
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true"
    working_dir = "/no/such/directory"
  }
}

### a_command_with_an_interpreter
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "x"
    interpreter = ["/usr/bin/test", "x", "="]
  }
}

### a_command_with_an_interpreter_that_fails
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "x"
    interpreter = ["/usr/bin/test", "y", "="]
  }
}

### a_command_without_interpreter
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "x"
    interpreter = ["/no/such/program"]
  }
}

### an_empty_command
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = ""
  }
}

### a_quiet_command
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true"
    quiet = true
  }
}

### a_command_that_is_a_list
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = []
  }
}

### a_command_with_an_unknown_attribute
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "${self.nope}"
  }
}

### a_command_by_its_own_address
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "test ${terraform_data.a.input} = x"
  }
}

### a_command_of_another
resource "terraform_data" "a" {
  input = "x"
}
resource "terraform_data" "b" {
  input = 1
  provisioner "local-exec" {
    command = "test ${terraform_data.a.id} = 1"
    on_failure = continue
  }
}

### a_command_of_each_instance
resource "terraform_data" "a" {
  for_each = { k = "v" }
  input = "x"
  provisioner "local-exec" {
    command = "test ${each.key}${each.value} = kv"
  }
  provisioner "local-exec" {
    command = "test ${each.key} = k"
    when = destroy
  }
}

### a_command_of_each_count
resource "terraform_data" "a" {
  count = 2
  input = "x"
  provisioner "local-exec" {
    command = "test ${count.index} = 0"
  }
  provisioner "local-exec" {
    command = "true"
    when = destroy
  }
}

### a_command_at_destruction
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "test ${self.input} = x"
    when = destroy
  }
}

### a_command_that_fails_at_destruction
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
    when = destroy
  }
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}

### a_command_that_may_fail_at_destruction
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
    when       = destroy
    on_failure = continue
  }
}

### a_command_at_destruction_of_another
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true ${terraform_data.b.id}"
    when = destroy
  }
}
resource "terraform_data" "b" {
  input = 1
}

### a_command_at_destruction_with_a_variable
variable "v" {
  default   = "x"
}
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true ${var.v}"
    when = destroy
  }
}

### a_command_at_destruction_with_a_local_value
locals {
  v = 1
}
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true ${local.v}"
    when = destroy
  }
}

### a_command_at_destruction_with_a_path
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true ${path.module} ${terraform.workspace}"
    when = destroy
  }
}

### a_command_at_destruction_with_a_value
resource "terraform_data" "a" {
  for_each = { k = "v" }
  input = "x"
  provisioner "local-exec" {
    command = "true ${each.value}"
    when = destroy
  }
}

### a_command_with_a_secret
variable "s" {
  default   = "x"
  sensitive = true
}
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "test ${var.s} = y"
  }
}

### a_command_with_something_ephemeral
variable "e" {
  default   = "x"
  ephemeral = true
}
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "test ${var.e} = x"
  }
}

### a_command_and_a_postcondition
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
  }
  lifecycle {
    postcondition {
      condition     = self.id == "x"
      error_message = "No."
    }
  }
}

### a_tainted_object_is_replaced
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
  }
}

### then
resource "terraform_data" "a" {
  input = "x"
}

### a_tainted_object_has_no_command_at_destruction
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
  }
  provisioner "local-exec" {
    command = "exit 4"
    when = destroy
  }
}

### no_command_for_a_change_in_place
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "true"
  }
}

### then
resource "terraform_data" "a" {
  input = "y"
  provisioner "local-exec" {
    command = "exit 3"
  }
}

### a_command_for_a_replacement
resource "terraform_data" "a" {
  triggers_replace = 1
  provisioner "local-exec" {
    command = "true"
  }
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
  provisioner "local-exec" {
    command = "exit 3"
  }
  provisioner "local-exec" {
    command = "test 1 = 1"
    when = destroy
  }
}

### a_replacement_whose_destruction_fails
resource "terraform_data" "a" {
  triggers_replace = 1
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
  provisioner "local-exec" {
    command = "exit 3"
    when = destroy
  }
}

### a_replacement_created_first_has_no_command_at_destruction
resource "terraform_data" "a" {
  triggers_replace = 1
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
  provisioner "local-exec" {
    command = "exit 3"
    when = destroy
  }
  lifecycle {
    create_before_destroy = true
  }
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
}

### a_command_for_an_instance_that_goes
resource "terraform_data" "a" {
  count = 2
  input = "x"
}

### then
resource "terraform_data" "a" {
  count = 1
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
    when = destroy
  }
}

### no_command_for_a_resource_that_goes
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" {
    command = "exit 3"
    when = destroy
  }
}

### then
