# Objects as they come, change, move and go.

### nothing

### an_object_stays
resource "terraform_data" "a" {
  input = 1
}

### then
resource "terraform_data" "a" {
  input = 1
}

### an_object_changes
resource "terraform_data" "a" {
  input = 1
}

### then
resource "terraform_data" "a" {
  input = 2
}

### an_object_is_replaced
resource "terraform_data" "a" {
  triggers_replace = 1
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
}

### an_object_goes
resource "terraform_data" "a" {
  input = 1
}
resource "terraform_data" "b" {
  input = 1
}

### then
resource "terraform_data" "b" {
  input = 1
}

### an_object_of_all_kinds_of_values
resource "terraform_data" "a" {
  input = { a = [1, "x", null], b = { c = true }, d = toset(["y", "x"]), e = tomap({ f = 1.5 }), g = 12345678901234567890 }
}
output "o" {
  value = terraform_data.a.output
}

### an_object_without_arguments
resource "terraform_data" "a" {
}
output "o" {
  value = terraform_data.a.output == null
}

### an_input_that_becomes_null
resource "terraform_data" "a" {
  input = 1
}

### then
resource "terraform_data" "a" {
  input = null
}

### an_input_of_another_type
resource "terraform_data" "a" {
  input = "1"
}

### then
resource "terraform_data" "a" {
  input = 1
}

### a_replacement_created_first
resource "terraform_data" "a" {
  triggers_replace = 1
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
  lifecycle {
    create_before_destroy = true
  }
}

### a_trigger_that_is_another_object
resource "terraform_data" "a" {
  input = 1
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a]
  }
}

### then
resource "terraform_data" "a" {
  input = 2
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a]
  }
}

### a_trigger_that_is_an_attribute
resource "terraform_data" "a" {
  input = 1
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a.input]
  }
}

### then
resource "terraform_data" "a" {
  input = 2
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a.input]
  }
}

### a_trigger_that_does_not_change
resource "terraform_data" "a" {
  input = 1
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a.triggers_replace]
  }
}

### then
resource "terraform_data" "a" {
  input = 2
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a.triggers_replace]
  }
}

### a_trigger_that_is_an_instance
resource "terraform_data" "a" {
  count = 2
  input = 1
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a[1]]
  }
}

### then
resource "terraform_data" "a" {
  count = 2
  input = count.index + 1
}
resource "terraform_data" "b" {
  input = 1
  lifecycle {
    replace_triggered_by = [terraform_data.a[1]]
  }
}

### changes_that_are_ignored
resource "terraform_data" "a" {
  input = 1
}

### then
resource "terraform_data" "a" {
  input = 2
  lifecycle {
    ignore_changes = [input]
  }
}

### all_changes_are_ignored
resource "terraform_data" "a" {
  input = 1
}

### then
resource "terraform_data" "a" {
  input = 2
  triggers_replace = 3
  lifecycle {
    ignore_changes = all
  }
}

### a_destruction_that_is_prevented
resource "terraform_data" "a" {
  triggers_replace = 1
  lifecycle {
    prevent_destroy = true
  }
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
  lifecycle {
    prevent_destroy = true
  }
}

### then
resource "terraform_data" "a" {
  triggers_replace = 2
}

### a_move
resource "terraform_data" "a" {
  input = 1
}

### then
moved {
  from = terraform_data.a
  to   = terraform_data.b
}
resource "terraform_data" "b" {
  input = 1
}

### a_move_to_an_instance
resource "terraform_data" "a" {
  input = 1
}

### then
resource "terraform_data" "a" {
  count = 2
  input = 1
}

### a_move_from_an_instance
resource "terraform_data" "a" {
  count = 2
  input = 1
}

### then
resource "terraform_data" "a" {
  input = 1
}

### a_move_to_a_key
resource "terraform_data" "a" {
  input = 1
}

### then
moved {
  from = terraform_data.a
  to   = terraform_data.a["k"]
}
resource "terraform_data" "a" {
  for_each = { k = 1 }
  input = each.value
}

### a_removal_that_forgets
resource "terraform_data" "a" {
  input = 1
}

### then
removed {
  from = terraform_data.a
  lifecycle {
    destroy = false
  }
}

### a_removal_that_destroys
resource "terraform_data" "a" {
  input = 1
}

### then
removed {
  from = terraform_data.a
  lifecycle {
    destroy = true
  }
}

### a_removal_of_what_is_declared
resource "terraform_data" "a" {
  input = 1
}

### then
resource "terraform_data" "a" {
  input = 1
}
removed {
  from = terraform_data.a
  lifecycle {
    destroy = false
  }
}

### an_import
import {
  to = terraform_data.a
  id = "x"
}
resource "terraform_data" "a" {
  input = 1
}

### an_import_of_an_empty_id
import {
  to = terraform_data.a
  id = ""
}
resource "terraform_data" "a" {
  input = 1
}

### an_import_of_something_unknown
resource "terraform_data" "b" {
  input = 1
}
import {
  to = terraform_data.a
  id = terraform_data.b.id
}
resource "terraform_data" "a" {
  input = 1
}

### a_count
resource "terraform_data" "a" {
  count = 3
  input = count.index
}

### then
resource "terraform_data" "a" {
  count = 1
  input = count.index
}

### a_count_that_becomes_keys
resource "terraform_data" "a" {
  count = 2
  input = 1
}

### then
resource "terraform_data" "a" {
  for_each = toset(["a", "b"])
  input = each.key
}

### keys_that_change
resource "terraform_data" "a" {
  for_each = toset(["a", "b"])
  input = each.key
}

### then
resource "terraform_data" "a" {
  for_each = toset(["b", "c"])
  input = each.key
}

### a_count_known_only_at_apply
resource "terraform_data" "b" {
  input = 1
}
resource "terraform_data" "a" {
  count = length(terraform_data.b.id)
}

### keys_known_only_at_apply
resource "terraform_data" "b" {
  input = 1
}
resource "terraform_data" "a" {
  for_each = toset([terraform_data.b.id])
}

### a_chain
resource "terraform_data" "a" {
  input = 1
}
resource "terraform_data" "b" {
  input = terraform_data.a.output
}
resource "terraform_data" "c" {
  input = terraform_data.b.output
}
output "o" {
  value = terraform_data.c.output
}

### a_change_through_a_chain
resource "terraform_data" "a" {
  input = 1
}
resource "terraform_data" "b" {
  input = terraform_data.a.output
}

### then
resource "terraform_data" "a" {
  input = 2
}
resource "terraform_data" "b" {
  input = terraform_data.a.output
}

### a_cycle
resource "terraform_data" "a" {
  input = terraform_data.b.id
}
resource "terraform_data" "b" {
  input = terraform_data.a.id
}

### an_object_that_refers_to_itself
resource "terraform_data" "a" {
  input = terraform_data.a.id
}

### a_splat
resource "terraform_data" "a" {
  count = 2
  input = count.index
}
output "o" {
  value = terraform_data.a[*].output
}

### a_splat_of_keys
resource "terraform_data" "a" {
  for_each = toset(["a"])
  input = each.key
}
output "o" {
  value = values(terraform_data.a)[*].output
}

### an_instance_that_is_not_there
resource "terraform_data" "a" {
  count = 1
  input = 1
}
output "o" {
  value = terraform_data.a[1].output
}

### outputs_that_change
output "a" {
  value = 1
}
output "b" {
  value = "x"
}

### then
output "a" {
  value = 2
}
output "c" {
  value = [1]
}

### an_output_that_is_null
output "a" {
  value = null
}

### an_output_of_an_unknown_object
resource "terraform_data" "a" {
  input = 1
}
output "a" {
  value = terraform_data.a
}

### an_output_that_becomes_sensitive
output "a" {
  value = 1
}

### then
output "a" {
  value = 1
  sensitive = true
}

### depends_on
resource "terraform_data" "b" {
  input = 1
}
resource "terraform_data" "a" {
  input = 1
  depends_on = [terraform_data.b]
}

### an_output_with_depends_on
resource "terraform_data" "a" {
  input = 1
}
output "o" {
  value = 1
  depends_on = [terraform_data.a]
}

### a_module
module "m" {
  source = "./takes"
  x = 1
}
output "o" {
  value = module.m.out
}

### a_module_with_a_value_known_at_apply
resource "terraform_data" "a" {
  input = 1
}
module "m" {
  source = "./takes"
  x = terraform_data.a.output
}
output "o" {
  value = module.m.out
}

### modules_with_keys
module "m" {
  source = "./takes"
  for_each = toset(["a", "b"])
  x = each.key
}
output "o" {
  value = module.m["a"].out
}

### modules_with_a_count
module "m" {
  source = "./takes"
  count = 2
  x = count.index
}
output "o" {
  value = module.m[*].out
}

### a_dynamic_value
resource "terraform_data" "a" {
  input = { for k in ["a", "b"] : k => upper(k) }
}
output "o" {
  value = terraform_data.a.output.a
}

### a_conditional_of_unknowns
resource "terraform_data" "a" {
  input = 1
}
output "o" {
  value = terraform_data.a.id == "" ? 1 : 2
}

### a_workspace
output "o" {
  value = terraform.workspace
}

### a_variable_with_a_type
variable "v" {
  type    = object({ a = string, b = optional(number, 3) })
  default = { a = 1, c = 2 }
}
output "o" {
  value = var.v
}
