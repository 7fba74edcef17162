//! Instances of modules, what they are given and give, and what is said of all kinds of mistakes.

use super::Row;

pub(crate) const ROWS: &[Row] = &[
    (
        "a_module_with_a_count_that_is_null",
        &[
            "locals {\n  n = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  count = null\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid count argument"],
    ),
    (
        "a_module_with_a_count_that_is_negative",
        &[
            "locals {\n  n = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  count = -1\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid count argument"],
    ),
    (
        "a_module_with_a_count_that_is_broken",
        &[
            "locals {\n  n = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  count = 1.5\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid count argument"],
    ),
    (
        "a_module_with_a_count_that_is_a_word",
        &[
            "locals {\n  n = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  count = \"a\"\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Incorrect value type"],
    ),
    (
        "a_module_with_a_count_that_is_a_number_in_quotes",
        &[
            "locals {\n  n = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  count = \"1\"\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["module.a[0].terraform_data.x create", "module.b.terraform_data.x create"],
    ),
    (
        "a_module_with_a_count_that_is_a_local",
        &[
            "locals {\n  n = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  count = local.n\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["module.a[0].terraform_data.x create", "module.b.terraform_data.x create"],
    ),
    (
        "a_module_with_a_count_that_is_the_output_of_another",
        &[
            "locals {\n  n = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  count = module.b.y\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &[
            "module.a[0].terraform_data.x create",
            "module.a[1].terraform_data.x create",
            "module.b.terraform_data.x create",
        ],
    ),
    (
        "a_module_with_a_for_each_that_is_null",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = null\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid for_each argument"],
    ),
    (
        "a_module_with_a_for_each_that_is_a_word",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = \"a\"\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid for_each argument"],
    ),
    (
        "a_module_with_a_for_each_that_is_a_list",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = [\"a\"]\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid for_each argument"],
    ),
    (
        "a_module_with_a_for_each_that_is_a_secret",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = sensitive(toset([\"a\"]))\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid for_each argument"],
    ),
    (
        "a_module_with_a_for_each_that_is_a_set_of_numbers",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = toset([1])\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid for_each set argument"],
    ),
    (
        "a_module_with_a_for_each_that_is_a_map",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = { k = 1 }\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["module.a[\"k\"].terraform_data.x create", "module.b.terraform_data.x create"],
    ),
    (
        "a_module_with_a_for_each_that_is_the_output_of_another",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = toset([for i in range(module.b.y) : \"k${i}\"])\n}\nmodule \"b\" {\n  source = \"./c\"\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &[
            "module.a[\"k0\"].terraform_data.x create",
            "module.a[\"k1\"].terraform_data.x create",
            "module.b.terraform_data.x create",
        ],
    ),
    (
        "a_module_uses_its_each",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = { k = 5 }\n  v = \"${each.key}-${each.value}\"\n}\noutput \"o\" {\n  value = module.a[\"k\"].w\n}\n--- c/main.tf\nvariable \"v\" {}\noutput \"w\" {\n  value = var.v\n}\n",
        ],
        &["output o = \"k-5\""],
    ),
    (
        "modules_give_each_other_values",
        &[
            "module \"a\" {\n  source = \"./c\"\n  v = module.b.w\n}\nmodule \"b\" {\n  source = \"./c\"\n  v = 1\n}\noutput \"o\" {\n  value = module.a.w\n}\n--- c/main.tf\nvariable \"v\" {}\noutput \"w\" {\n  value = var.v\n}\n",
        ],
        &["output o = 1"],
    ),
    (
        "outputs_of_one_module_go_around",
        &[
            "module \"a\" {\n  source = \"./c\"\n  v = module.a.x\n}\noutput \"o\" {\n  value = module.a.w\n}\n--- c/main.tf\nvariable \"v\" {}\noutput \"w\" {\n  value = var.v\n}\noutput \"x\" {\n  value = 3\n}\n",
        ],
        &["output o = 3"],
    ),
    (
        "a_module_that_is_not_nullable_is_given_null",
        &[
            "module \"a\" {\n  source = \"./c\"\n  v = null\n}\n--- c/main.tf\nvariable \"v\" {\n  nullable = false\n}\n",
        ],
        &["Required variable not set"],
    ),
    (
        "a_module_that_is_not_nullable_takes_its_default",
        &[
            "module \"a\" {\n  source = \"./c\"\n  v = null\n}\noutput \"o\" {\n  value = module.a.w\n}\n--- c/main.tf\nvariable \"v\" {\n  nullable = false\n  default  = 7\n}\noutput \"w\" {\n  value = var.v\n}\n",
        ],
        &["output o = 7"],
    ),
    (
        "a_module_is_given_another_type",
        &[
            "module \"a\" {\n  source = \"./c\"\n  v = \"x\"\n}\n--- c/main.tf\nvariable \"v\" {\n  type = number\n}\n",
        ],
        &["Invalid value for input variable"],
    ),
    (
        "a_module_is_given_null_for_a_default",
        &[
            "module \"a\" {\n  source = \"./c\"\n  v = { a = null }\n}\noutput \"o\" {\n  value = module.a.w\n}\n--- c/main.tf\nvariable \"v\" {\n  type = object({\n    a = optional(string, \"d\")\n    b = optional(number)\n  })\n}\noutput \"w\" {\n  value = var.v\n}\n",
        ],
        &["output o = {\"a\":\"d\",\"b\":null}"],
    ),
    (
        "an_instance_of_a_module_that_is_not_there",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count = 1\n}\noutput \"o\" {\n  value = module.a[1].y\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid index"],
    ),
    (
        "all_instances_of_a_module",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count = 2\n}\noutput \"o\" {\n  value = module.a[*].y\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["module.a[0].terraform_data.x create", "module.a[1].terraform_data.x create", "output o = [2,2]"],
    ),
    (
        "an_output_that_a_module_has_not",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\noutput \"o\" {\n  value = module.a.nothing\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Unsupported attribute"],
    ),
    (
        "an_instance_of_a_module_without_instances",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\noutput \"o\" {\n  value = module.a[0].y\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Invalid index"],
    ),
    (
        "a_validation_that_is_null",
        &[
            "variable \"v\" {\n  default = 1\n  validation {\n    condition     = var.v == 1 ? null : true\n    error_message = \"No.\"\n  }\n}\n",
        ],
        &["Invalid variable validation result"],
    ),
    (
        "a_validation_that_is_a_word",
        &[
            "variable \"v\" {\n  default = 1\n  validation {\n    condition     = \"${var.v}\"\n    error_message = \"No.\"\n  }\n}\n",
        ],
        &["Invalid variable validation result"],
    ),
    (
        "a_validation_that_does_not_hold",
        &[
            "variable \"v\" {\n  default = 1\n  validation {\n    condition     = var.v == 2\n    error_message = \"No.\"\n  }\n}\n",
        ],
        &["Invalid value for variable"],
    ),
    (
        "a_validation_with_a_secret_message",
        &[
            "variable \"v\" {\n  default   = 1\n  sensitive = true\n  validation {\n    condition     = var.v == 2\n    error_message = \"No ${var.v}.\"\n  }\n}\n",
        ],
        &["Error message refers to sensitive values", "Invalid value for variable"],
    ),
    (
        "an_override_of_no_alias",
        &["--- override.tf\nprovider \"terraform\" {\n  alias = \"x\"\n}\n"],
        &["Missing base provider configuration for override"],
    ),
    (
        "an_override_of_no_local",
        &["--- override.tf\nlocals {\n  a = 1\n}\n"],
        &["Missing base local value definition to override"],
    ),
    (
        "an_override_of_no_output",
        &["--- override.tf\noutput \"a\" {\n  value = 1\n}\n"],
        &["Missing base output definition to override"],
    ),
    (
        "an_override_of_no_resource",
        &["--- override.tf\nresource \"terraform_data\" \"a\" {}\n"],
        &["Missing resource to override"],
    ),
    (
        "an_override_of_no_variable",
        &["--- override.tf\nvariable \"a\" {}\n"],
        &["Missing base variable declaration to override"],
    ),
    ("json_of_another_type", &["--- x.tf.json\n{\"locals\": 5}\n"], &["Incorrect JSON value type"]),
    (
        "json_without_a_label",
        &["--- x.tf.json\n{\"resource\": {\"terraform_data\": null}}\n"],
        &["Missing block label"],
    ),
    (
        "a_trigger_that_is_no_reference",
        &["resource \"terraform_data\" \"a\" {\n  lifecycle {\n    replace_triggered_by = [1]\n  }\n}\n"],
        &["Invalid replace_triggered_by expression"],
    ),
    (
        "a_trigger_that_is_a_local",
        &[
            "locals {\n  a = 1\n}\nresource \"terraform_data\" \"a\" {\n  lifecycle {\n    replace_triggered_by = [local.a]\n  }\n}\n",
        ],
        &["Invalid reference in replace_triggered_by expression", "Invalid replace_triggered_by expression"],
    ),
    (
        "an_alias_with_an_odd_name",
        &["provider \"terraform\" {\n  alias = \"a b\"\n}\n"],
        &["Invalid provider configuration alias"],
    ),
    (
        "a_local_by_way_of_others",
        &["locals {\n  a = local.b\n  b = local.c\n  c = 3\n}\noutput \"o\" {\n  value = local.a\n}\n"],
        &["output o = 3"],
    ),
    (
        "a_module_waits_for_a_resource",
        &[
            "resource \"terraform_data\" \"a\" {\n  input = 1\n}\nmodule \"a\" {\n  source = \"./c\"\n  depends_on = [terraform_data.a]\n}\noutput \"o\" {\n  value = module.a.y\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["module.a.terraform_data.x create", "output o = 2", "terraform_data.a create"],
    ),
    (
        "a_module_with_an_argument_too_many",
        &[
            "module \"a\" {\n  source = \"./c\"\n  v = 1\n}\n--- c/main.tf\nresource \"terraform_data\" \"x\" {}\noutput \"y\" {\n  value = 2\n}\n",
        ],
        &["Unsupported argument"],
    ),
    (
        "a_module_without_an_argument",
        &["module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nvariable \"v\" {}\n"],
        &["Missing required argument"],
    ),
];
