//! `import` blocks.

use super::Row;

pub(crate) const ROWS: &[Row] = &[
    (
        "an_import_into_a_module",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\nimport {\n  to = module.a.terraform_data.x\n  id = \"i\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a.terraform_data.x no-op importing i"],
    ),
    (
        "an_import_into_an_instance_of_a_module",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count = 2\n}\nimport {\n  to = module.a[1].terraform_data.x\n  id = \"i\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["module.a[0].terraform_data.x create", "module.a[1].terraform_data.x no-op importing i"],
    ),
    (
        "an_import_for_each_of_a_map",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = { a = \"1\", b = \"2\" }\n}\nimport {\n  to = terraform_data.x[each.key]\n  id = each.value\n  for_each = { a = \"ia\", b = \"ib\" }\n}\n",
        ],
        &["terraform_data.x[\"a\"] no-op importing ia", "terraform_data.x[\"b\"] no-op importing ib"],
    ),
    (
        "an_import_for_each_of_a_set",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\", \"b\"])\n}\nimport {\n  to = terraform_data.x[each.key]\n  id = \"i-${each.value}\"\n  for_each = toset([\"a\"])\n}\n",
        ],
        &["terraform_data.x[\"a\"] no-op importing i-a", "terraform_data.x[\"b\"] create"],
    ),
    (
        "an_import_for_each_of_a_tuple",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\", \"b\"])\n}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i-${each.key}\"\n  for_each = [\"a\", \"b\"]\n}\n",
        ],
        &["terraform_data.x[\"a\"] no-op importing i-0", "terraform_data.x[\"b\"] no-op importing i-1"],
    ),
    (
        "an_import_for_each_of_a_list",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\", \"b\"])\n}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i-${each.key}\"\n  for_each = tolist([\"a\", \"b\"])\n}\n",
        ],
        &["terraform_data.x[\"a\"] no-op importing i-0", "terraform_data.x[\"b\"] no-op importing i-1"],
    ),
    (
        "an_import_for_each_of_a_set_of_numbers",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"1\", \"2\"])\n}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i\"\n  for_each = toset([1, 2])\n}\n",
        ],
        &["Invalid import 'to' expression"],
    ),
    (
        "an_import_for_each_of_a_string",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i\"\n  for_each = \"a\"\n}\n",
        ],
        &["Invalid for_each argument"],
    ),
    (
        "an_import_for_each_of_nothing",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i\"\n  for_each = {}\n}\n",
        ],
        &["terraform_data.x[\"a\"] create"],
    ),
    (
        "an_import_for_each_of_null",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i\"\n  for_each = null\n}\n",
        ],
        &["terraform_data.x[\"a\"] create"],
    ),
    (
        "an_import_for_each_of_something_unknown",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nresource \"terraform_data\" \"u\" {}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i\"\n  for_each = toset([terraform_data.u.id])\n}\n",
        ],
        &["Invalid for_each argument"],
    ),
    (
        "an_import_for_each_of_a_secret",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[each.value]\n  id = \"i\"\n  for_each = sensitive(toset([\"a\"]))\n}\n",
        ],
        &["Invalid index expression"],
    ),
    (
        "an_import_for_each_into_modules",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = toset([\"k\", \"l\"])\n}\nimport {\n  to = module.a[each.key].terraform_data.x\n  id = each.value\n  for_each = { k = \"ik\", l = \"il\" }\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &[
            "module.a[\"k\"].terraform_data.x no-op importing ik",
            "module.a[\"l\"].terraform_data.x no-op importing il",
        ],
    ),
    (
        "an_import_to_a_key_that_is_a_local",
        &[
            "locals {\n  k = \"a\"\n}\nresource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[local.k]\n  id = \"i\"\n}\n",
        ],
        &["Invalid address", "Invalid expression"],
    ),
    (
        "an_import_to_a_key_that_is_not_there",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[\"b\"]\n  id = \"i\"\n}\n",
        ],
        &["Configuration for import target does not exist"],
    ),
    (
        "an_import_to_a_key_where_there_is_none",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x[\"b\"]\n  id = \"i\"\n}\n",
        ],
        &["Invalid import 'to' expression"],
    ),
    (
        "an_import_without_a_key",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n}\n",
        ],
        &["Invalid import 'to' expression"],
    ),
    (
        "an_import_to_an_instance_that_a_module_has_not",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count = 1\n}\nimport {\n  to = module.a[1].terraform_data.x\n  id = \"i\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Configuration for import target does not exist"],
    ),
    (
        "an_import_to_a_module_that_is_not_called",
        &["import {\n  to = module.a.terraform_data.x\n  id = \"i\"\n}\n"],
        &["Configuration for import target does not exist"],
    ),
    (
        "an_import_to_nothing",
        &["import {\n  to = terraform_data.y\n  id = \"i\"\n}\n"],
        &["Configuration for import target does not exist"],
    ),
    (
        "an_import_to_an_unknown_key",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nresource \"terraform_data\" \"u\" {}\nimport {\n  to = terraform_data.x[terraform_data.u.id]\n  id = \"i\"\n}\n",
        ],
        &["Invalid address", "Invalid expression"],
    ),
    (
        "an_import_to_a_secret_key",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[sensitive(\"a\")]\n  id = \"i\"\n}\n",
        ],
        &["Invalid address", "Invalid expression"],
    ),
    (
        "an_import_to_a_key_that_is_a_list",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[[]]\n  id = \"i\"\n}\n",
        ],
        &["Invalid address", "Invalid expression"],
    ),
    (
        "an_import_of_an_unknown_id",
        &[
            "resource \"terraform_data\" \"x\" {}\nresource \"terraform_data\" \"u\" {}\nimport {\n  to = terraform_data.x\n  id = terraform_data.u.id\n}\n",
        ],
        &["Invalid import id argument"],
    ),
    (
        "an_import_of_an_id_that_is_known_by_now",
        &[
            "resource \"terraform_data\" \"u\" {\n  input = \"i\"\n}\n",
            "resource \"terraform_data\" \"u\" {\n  input = \"i\"\n}\nresource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = terraform_data.u.output\n}\n",
        ],
        &["terraform_data.x no-op importing i"],
    ),
    (
        "an_import_of_a_null_id",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = null\n}\n"],
        &["Invalid import id argument"],
    ),
    (
        "an_import_of_an_empty_id",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = \"\"\n}\n"],
        &["Invalid import id argument"],
    ),
    (
        "an_import_of_a_number",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = 12\n}\n"],
        &["terraform_data.x no-op importing 12"],
    ),
    (
        "an_import_of_a_list",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = []\n}\n"],
        &["Incorrect value type"],
    ),
    (
        "an_import_of_a_secret_id",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = sensitive(\"i\")\n}\n",
        ],
        &["terraform_data.x no-op importing i"],
    ),
    (
        "an_import_of_each_without_for_each",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = each.value\n}\n"],
        &["each.value cannot be used in this context"],
    ),
    (
        "an_import_of_an_undeclared_id",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = var.nothing\n}\n"],
        &["Reference to undeclared input variable"],
    ),
    (
        "an_import_of_its_own_id",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = terraform_data.x.id\n}\n",
        ],
        &["Invalid import id argument"],
    ),
    (
        "an_import_by_identity_of_what_has_none",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  identity = { id = \"i\" }\n}\n",
        ],
        &["import of terraform_data.x didn't return an identity"],
    ),
    (
        "an_import_in_a_child",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n}\n",
        ],
        &["module.a.terraform_data.x create"],
    ),
    (
        "two_imports_to_one_address",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n}\nimport {\n  to = terraform_data.x\n  id = \"j\"\n}\n",
        ],
        &["Duplicate import configuration for \"terraform_data.x\""],
    ),
    (
        "two_imports_to_one_address_by_for_each",
        &[
            "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nimport {\n  to = terraform_data.x[\"a\"]\n  id = \"i\"\n}\nimport {\n  to = terraform_data.x[each.key]\n  id = \"j\"\n  for_each = { a = 1 }\n}\n",
        ],
        &["terraform_data.x[\"a\"] no-op importing j"],
    ),
    (
        "for_each_imports_twice_to_one_address",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = each.value\n  for_each = toset([\"a\", \"b\"])\n}\n",
        ],
        &["terraform_data.x no-op importing b"],
    ),
    (
        "an_import_of_what_is_there",
        &[
            "resource \"terraform_data\" \"x\" {}\n",
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n}\n",
        ],
        &[],
    ),
    (
        "an_import_of_a_data_source",
        &["import {\n  to = data.terraform_remote_state.x\n  id = \"i\"\n}\n"],
        &["Invalid import address"],
    ),
    (
        "an_import_into_a_data_source_of_a_module",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\nimport {\n  to = module.a.data.terraform_remote_state.x\n  id = \"i\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Invalid import address"],
    ),
    (
        "an_import_to_a_module",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\nimport {\n  to = module.a\n  id = \"i\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\n",
        ],
        &["Invalid address", "Invalid import address"],
    ),
    (
        "an_import_to_an_attribute",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x.id\n  id = \"i\"\n}\n"],
        &["Invalid address", "Invalid import address"],
    ),
    (
        "an_import_by_a_function",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = upper(\"i\")\n}\n",
        ],
        &["terraform_data.x no-op importing I"],
    ),
    (
        "an_import_with_two_subjects",
        &[
            "resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n  identity = { id = \"i\" }\n}\n",
        ],
        &["Invalid import block"],
    ),
    (
        "an_import_with_no_subject",
        &["resource \"terraform_data\" \"x\" {}\nimport {\n  to = terraform_data.x\n}\n"],
        &["Invalid import block"],
    ),
    (
        "an_import_of_one_id_to_two",
        &[
            "resource \"terraform_data\" \"x\" {}\nresource \"terraform_data\" \"y\" {}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n}\nimport {\n  to = terraform_data.y\n  id = \"i\"\n}\n",
        ],
        &["terraform_data.x no-op importing i", "terraform_data.y no-op importing i"],
    ),
    (
        "an_import_with_provider",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n  provider = t\n}\n",
        ],
        &["terraform_data.x no-op importing i"],
    ),
    (
        "an_import_with_provider_of_what_is_not_declared",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nimport {\n  to = terraform_data.x\n  id = \"i\"\n  provider = t\n}\n",
        ],
        &["Configuration for import target does not exist"],
    ),
];
