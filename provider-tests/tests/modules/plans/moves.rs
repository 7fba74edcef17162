//! `moved` and `removed` blocks of modules and in modules.

use super::Row;

pub(crate) const ROWS: &[Row] = &[
    (
        "a_module_is_renamed",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.b.terraform_data.x no-op from module.a.terraform_data.x"],
    ),
    (
        "a_module_gets_a_count",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\nmoved {\n  from = module.a\n  to   = module.a[1]\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "module.a[0].terraform_data.x create",
            "module.a[1].terraform_data.x no-op from module.a.terraform_data.x",
        ],
    ),
    (
        "a_module_gets_a_count_without_a_word",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "module.a.terraform_data.x delete (delete_because_no_module)",
            "module.a[0].terraform_data.x create",
            "module.a[1].terraform_data.x create",
        ],
    ),
    (
        "a_module_loses_its_count",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 1\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a[0]\n  to   = module.a\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a.terraform_data.x no-op from module.a[0].terraform_data.x"],
    ),
    (
        "a_module_gets_another_key",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = toset([\"x\"])\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  for_each = toset([\"y\"])\n}\nmoved {\n  from = module.a[\"x\"]\n  to   = module.a[\"y\"]\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a[\"y\"].terraform_data.x no-op from module.a[\"x\"].terraform_data.x"],
    ),
    (
        "all_instances_of_a_module_are_renamed",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n  count  = 2\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "module.b[0].terraform_data.x no-op from module.a[0].terraform_data.x",
            "module.b[1].terraform_data.x no-op from module.a[1].terraform_data.x",
        ],
    ),
    (
        "an_instance_that_is_not_there_is_moved",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a[7]\n  to   = module.a[8]\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[],
    ),
    (
        "a_module_is_split",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\nresource \"terraform_data\" \"y\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmodule \"b\" {\n  source = \"./d\"\n}\nmoved {\n  from = module.a.terraform_data.y\n  to   = module.b.terraform_data.y\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n--- d/main.tf\nresource \"terraform_data\" \"y\" {}\n",
        ],
        &["module.b.terraform_data.y no-op from module.a.terraform_data.y"],
    ),
    (
        "a_module_is_dissolved",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "resource \"terraform_data\" \"x\" {}\nmoved {\n  from = module.a.terraform_data.x\n  to   = terraform_data.x\n}\n",
        ],
        &["terraform_data.x no-op from module.a.terraform_data.x"],
    ),
    (
        "a_resource_goes_into_a_module",
        &[
            "resource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmoved {\n  from = terraform_data.x\n  to   = module.a.terraform_data.x\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a.terraform_data.x no-op from terraform_data.x"],
    ),
    (
        "a_resource_goes_into_an_instance_of_a_module",
        &[
            "resource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  for_each = toset([\"k\"])\n}\nmoved {\n  from = terraform_data.x\n  to   = module.a[\"k\"].terraform_data.x\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a[\"k\"].terraform_data.x no-op from terraform_data.x"],
    ),
    (
        "a_child_says_it_for_all_its_instances",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"z\" {}\nmoved {\n  from = terraform_data.x\n  to   = terraform_data.z\n}\n",
        ],
        &[
            "module.a[0].terraform_data.z no-op from module.a[0].terraform_data.x",
            "module.a[1].terraform_data.z no-op from module.a[1].terraform_data.x",
        ],
    ),
    (
        "a_child_moves_into_a_grandchild",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nmodule \"g\" {\n  source = \"../d\"\n}\nmoved {\n  from = terraform_data.x\n  to   = module.g.terraform_data.x\n}\n--- d/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a.module.g.terraform_data.x no-op from module.a.terraform_data.x"],
    ),
    (
        "a_child_renames_its_module",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nmodule \"g\" {\n  source = \"../d\"\n}\n--- d/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nmodule \"h\" {\n  source = \"../d\"\n}\nmoved {\n  from = module.g\n  to   = module.h\n}\n--- d/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "module.a[0].module.h.terraform_data.x no-op from module.a[0].module.g.terraform_data.x",
            "module.a[1].module.h.terraform_data.x no-op from module.a[1].module.g.terraform_data.x",
        ],
    ),
    (
        "a_module_and_what_is_in_it_move",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"z\" {}\nmoved {\n  from = terraform_data.x\n  to   = terraform_data.z\n}\n",
        ],
        &["module.b.terraform_data.z no-op from module.a.terraform_data.x"],
    ),
    (
        "moves_of_modules_are_chained",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"c3\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.b\n  to   = module.c3\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.c3.terraform_data.x no-op from module.a.terraform_data.x"],
    ),
    (
        "a_resource_then_its_module",
        &[
            "resource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\nmoved {\n  from = terraform_data.x\n  to   = module.a.terraform_data.x\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.b.terraform_data.x no-op from terraform_data.x"],
    ),
    (
        "a_module_with_modules_in_it_moves",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\nmodule \"g\" {\n  source = \"../d\"\n}\n--- d/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\nmodule \"g\" {\n  source = \"../d\"\n}\n--- d/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "module.b.module.g.terraform_data.x no-op from module.a.module.g.terraform_data.x",
            "module.b.terraform_data.x no-op from module.a.terraform_data.x",
        ],
    ),
    (
        "a_module_moves_into_another",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"w\" {\n  source = \"./d\"\n}\nmoved {\n  from = module.a\n  to   = module.w.module.a\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n--- d/main.tf\nmodule \"a\" {\n  source = \"../c\"\n}\n",
        ],
        &["module.w.module.a.terraform_data.x no-op from module.a.terraform_data.x"],
    ),
    (
        "a_module_is_there_already",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "W:Unresolved resource instance address changes",
            "module.a.terraform_data.x delete (delete_because_no_resource_config)",
        ],
    ),
    (
        "a_resource_is_there_already",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\nresource \"terraform_data\" \"x\" {}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmoved {\n  from = terraform_data.x\n  to   = module.a.terraform_data.x\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "W:Unresolved resource instance address changes",
            "terraform_data.x delete (delete_because_no_resource_config)",
        ],
    ),
    (
        "one_instance_of_two_is_there_already",
        &[
            "resource \"terraform_data\" \"x\" {\n  count = 2\n}\nresource \"terraform_data\" \"y\" {\n  count = 1\n}\n",
            "resource \"terraform_data\" \"y\" {\n  count = 2\n}\nmoved {\n  from = terraform_data.x\n  to   = terraform_data.y\n}\n",
        ],
        &[
            "W:Unresolved resource instance address changes",
            "terraform_data.x[0] delete (delete_because_no_resource_config)",
            "terraform_data.x[1] delete (delete_because_no_resource_config)",
            "terraform_data.y[1] create",
        ],
    ),
    (
        "a_moved_module_is_still_called",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmodule \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Moved object still exists"],
    ),
    (
        "a_moved_instance_is_still_there",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 1\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\nmoved {\n  from = module.a[0]\n  to   = module.a[1]\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Moved object still exists"],
    ),
    (
        "a_moved_resource_in_a_module_is_still_there",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nresource \"terraform_data\" \"x\" {}\nmoved {\n  from = module.a.terraform_data.x\n  to   = terraform_data.x\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Moved object still exists"],
    ),
    (
        "a_module_moves_to_itself",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.a\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Redundant move statement"],
    ),
    (
        "a_module_moves_to_two_places",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmodule \"d\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\nmoved {\n  from = module.a\n  to   = module.d\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Ambiguous move statements"],
    ),
    (
        "two_modules_move_to_one_place",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"d\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.d\n}\nmoved {\n  from = module.b\n  to   = module.d\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Ambiguous move statements"],
    ),
    (
        "modules_move_in_a_circle",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"c3\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\nmoved {\n  from = module.b\n  to   = module.a\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Cyclic dependency in move statements"],
    ),
    (
        "a_module_moves_to_a_resource",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = terraform_data.x\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Invalid \"moved\" addresses"],
    ),
    (
        "root_and_child_move_the_same",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "resource \"terraform_data\" \"w\" {}\nmodule \"a\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a.terraform_data.x\n  to   = terraform_data.w\n}\n--- c/main.tf\nresource \"terraform_data\" \"z\" {}\nmoved {\n  from = terraform_data.x\n  to   = terraform_data.z\n}\n",
        ],
        &["Ambiguous move statements"],
    ),
    (
        "nowhere_to_move_to",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.nowhere\n}\n--- c/main.tf\nresource \"terraform_data\" \"z\" {}\n",
        ],
        &[
            "module.b.terraform_data.z create",
            "module.nowhere.terraform_data.x delete (delete_because_no_move_target) from module.a.terraform_data.x",
        ],
    ),
    (
        "an_instance_of_a_module_goes",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 1\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a[1].terraform_data.x delete (delete_because_no_module)"],
    ),
    (
        "a_call_goes",
        &["module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n", ""],
        &["module.a.terraform_data.x delete (delete_because_no_resource_config)"],
    ),
    (
        "count_comes_in_a_module_that_moves",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"b\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a\n  to   = module.b\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {\n  count = 1\n}\n",
        ],
        &[
            "module.b.terraform_data.x delete (delete_because_wrong_repetition) from module.a.terraform_data.x",
            "module.b.terraform_data.x[0] create",
        ],
    ),
    (
        "count_comes_in_a_module",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {\n  count = 1\n}\n",
        ],
        &["module.a.terraform_data.x[0] no-op from module.a.terraform_data.x"],
    ),
    (
        "a_module_is_removed",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "removed {\n  from = module.a\n}\n",
        ],
        &["module.a.terraform_data.x delete (delete_because_no_resource_config)"],
    ),
    (
        "a_module_is_forgotten",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "removed {\n  from = module.a\n  lifecycle {\n    destroy = false\n  }\n}\n",
        ],
        &[
            "W:Some objects will no longer be managed by Terraform",
            "module.a[0].terraform_data.x forget (delete_because_no_resource_config)",
            "module.a[1].terraform_data.x forget (delete_because_no_resource_config)",
        ],
    ),
    (
        "a_module_in_a_module_is_forgotten",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\nmodule \"g\" {\n  source = \"../d\"\n}\n--- d/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nremoved {\n  from = module.a.module.g\n  lifecycle {\n    destroy = false\n  }\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "W:Some objects will no longer be managed by Terraform",
            "module.a.module.g.terraform_data.x forget (delete_because_no_resource_config)",
        ],
    ),
    (
        "a_child_forgets",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nremoved {\n  from = terraform_data.x\n  lifecycle {\n    destroy = false\n  }\n}\n",
        ],
        &[
            "W:Some objects will no longer be managed by Terraform",
            "module.a[0].terraform_data.x forget (delete_because_no_resource_config)",
            "module.a[1].terraform_data.x forget (delete_because_no_resource_config)",
        ],
    ),
    (
        "a_resource_in_instances_is_forgotten",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n  count  = 2\n}\nremoved {\n  from = module.a.terraform_data.x\n  lifecycle {\n    destroy = false\n  }\n}\n--- c/main.tf\n",
        ],
        &[
            "W:Some objects will no longer be managed by Terraform",
            "module.a[0].terraform_data.x forget (delete_because_no_resource_config)",
            "module.a[1].terraform_data.x forget (delete_because_no_resource_config)",
        ],
    ),
    (
        "a_removed_module_is_still_called",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nremoved {\n  from = module.a\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Removed module still exists"],
    ),
    (
        "a_removed_resource_in_a_module_is_still_there",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nremoved {\n  from = module.a.terraform_data.x\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Removed resource still exists"],
    ),
    (
        "a_removed_module_has_a_key",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "removed {\n  from = module.a[0]\n}\n",
        ],
        &["Module instance keys not allowed"],
    ),
    (
        "a_data_source_moves_to_a_resource",
        &[
            "resource \"terraform_data\" \"x\" {}\n",
            "resource \"terraform_data\" \"y\" {}\nmoved {\n  from = data.terraform_remote_state.x\n  to   = terraform_data.y\n}\n",
        ],
        &["terraform_data.x delete (delete_because_no_resource_config)", "terraform_data.y create"],
    ),
    (
        "a_moved_instance_of_a_resource_is_still_there",
        &[
            "resource \"terraform_data\" \"x\" {\n  count = 2\n}\n",
            "resource \"terraform_data\" \"x\" {\n  count = 2\n}\nresource \"terraform_data\" \"y\" {}\nmoved {\n  from = terraform_data.x[0]\n  to   = terraform_data.y\n}\n",
        ],
        &["Moved object still exists"],
    ),
    (
        "a_resource_in_a_module_gets_a_key",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
            "module \"a\" {\n  source = \"./c\"\n}\nmoved {\n  from = module.a.terraform_data.x\n  to   = module.a.terraform_data.x[\"k\"]\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {\n  for_each = toset([\"k\"])\n}\n",
        ],
        &["module.a.terraform_data.x[\"k\"] no-op from module.a.terraform_data.x"],
    ),
];
