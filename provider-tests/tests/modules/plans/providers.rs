//! Provider configurations of modules.

use super::Row;

pub(crate) const ROWS: &[Row] = &[
    (
        "a_provider_with_another_local_name",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["terraform_data.x create"],
    ),
    (
        "a_child_requires_a_provider_that_the_root_does_not",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["module.a.terraform_data.x create"],
    ),
    (
        "a_child_has_another_local_name",
        &[
            "terraform {\n  required_providers {\n    u = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = u\n}\nmodule \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["module.a.terraform_data.x create", "terraform_data.x create"],
    ),
    (
        "an_alias_is_passed",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t = t.w\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["module.a.terraform_data.x create"],
    ),
    (
        "an_alias_is_passed_as_an_alias",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t.in = t.w\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [t.in]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t.in\n}\n",
        ],
        &["module.a.terraform_data.x create"],
    ),
    (
        "an_alias_is_not_passed",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nmodule \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [t.w]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t.w\n}\n",
        ],
        &["Missing required provider configuration"],
    ),
    (
        "an_alias_is_not_declared_in_the_child",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nmodule \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t.w\n}\n",
        ],
        &["Provider configuration not present"],
    ),
    (
        "an_alias_that_is_not_there_is_passed",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t = t.w\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["missing provider provider[\"terraform.io/builtin/terraform\"].w"],
    ),
    (
        "an_alias_is_passed_to_a_child_that_does_not_require_it",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t.in = t.w\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Reference to undefined provider"],
    ),
    (
        "a_default_is_passed_to_a_child_that_does_not_require_it",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    u = t\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Provider type mismatch", "W:Reference to undefined provider"],
    ),
    (
        "a_child_configures_a_provider",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["W:Redundant empty provider block", "module.a.terraform_data.x create"],
    ),
    (
        "a_child_configures_an_alias",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nresource \"terraform_data\" \"x\" {\n  provider = t.w\n}\n",
        ],
        &["W:Redundant empty provider block", "module.a.terraform_data.x create"],
    ),
    (
        "a_child_configures_a_provider_that_is_passed",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t = t\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["W:Redundant empty provider block", "module.a.terraform_data.x create"],
    ),
    (
        "a_child_configures_a_provider_and_has_a_count",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count = 2\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &[
            "W:Redundant empty provider block",
            "module.a[0].terraform_data.x create",
            "module.a[1].terraform_data.x create",
        ],
    ),
    (
        "a_child_configures_a_provider_with_arguments_and_has_a_count",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count = 2\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  nonsense = 1\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Module is incompatible with count, for_each, and depends_on"],
    ),
    (
        "a_child_configures_a_provider_with_arguments_and_has_a_for_each",
        &[
            "module \"a\" {\n  source = \"./c\"\n  for_each = {}\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  nonsense = 1\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Module is incompatible with count, for_each, and depends_on"],
    ),
    (
        "a_child_configures_a_provider_with_arguments_and_depends_on",
        &[
            "resource \"terraform_data\" \"x\" {\n}\nmodule \"a\" {\n  source = \"./c\"\n  depends_on = [terraform_data.x]\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  nonsense = 1\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Module is incompatible with count, for_each, and depends_on"],
    ),
    (
        "a_grandchild_configures_a_provider_with_arguments",
        &[
            "module \"a\" {\n  source = \"./c\"\n  count = 1\n}\n--- c/main.tf\nmodule \"g\" {\n  source = \"../d\"\n}\n--- d/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  nonsense = 1\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Module is incompatible with count, for_each, and depends_on"],
    ),
    (
        "a_child_overrides_what_is_passed",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t = t\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  nonsense = 1\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Cannot override provider configuration"],
    ),
    (
        "a_child_has_arguments_of_no_provider",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  nonsense = 1\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Unsupported argument"],
    ),
    (
        "two_local_names_of_one_provider",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n    u = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["W:Duplicate required provider", "terraform_data.x create"],
    ),
    (
        "a_resource_of_a_provider_that_is_required_by_another_name",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n}\n",
        ],
        &["W:Duplicate required provider", "terraform_data.x create"],
    ),
    (
        "providers_pass_through",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t = t.w\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"g\" {\n  source = \"../d\"\n  providers = {\n    t.in = t\n  }\n}\n--- d/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [t.in]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t.in\n}\n",
        ],
        &["module.a.module.g.terraform_data.x create"],
    ),
    (
        "providers_stop_half_way",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  alias = \"w\"\n}\nmodule \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"g\" {\n  source = \"../d\"\n  providers = {\n    t.in = t.w\n  }\n}\n--- d/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [t.in]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t.in\n}\n",
        ],
        &["missing provider module.a.provider[\"terraform.io/builtin/terraform\"].w"],
    ),
    (
        "a_passed_provider_has_an_index",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = {\n    t = t[0]\n  }\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Invalid provider configuration reference"],
    ),
    (
        "providers_are_no_map",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nmodule \"a\" {\n  source = \"./c\"\n  providers = [t]\n}\n--- c/main.tf\nterraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Invalid expression"],
    ),
    (
        "configuration_aliases_are_no_list",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = t.w\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Invalid expression"],
    ),
    (
        "configuration_aliases_are_strings",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [\"t.w\"]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Invalid expression"],
    ),
    (
        "configuration_aliases_are_no_aliases",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [t]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["terraform_data.x create"],
    ),
    (
        "configuration_aliases_of_another",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [u.w]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Invalid configuration_aliases value"],
    ),
    (
        "configuration_aliases_of_the_root",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [t.w]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Undefined provider configuration"],
    ),
    (
        "configuration_aliases_twice",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n      configuration_aliases = [t.w, t.w]\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Undefined provider configuration"],
    ),
    (
        "an_alias_that_is_not_there_is_used",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nresource \"terraform_data\" \"x\" {\n  provider = t.w\n}\n",
        ],
        &["Provider configuration not present"],
    ),
    (
        "a_provider_has_count",
        &[
            "terraform {\n  required_providers {\n    t = {\n      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\nprovider \"t\" {\n  count = 1\n}\nresource \"terraform_data\" \"x\" {\n  provider = t\n}\n",
        ],
        &["Reserved argument name in provider block"],
    ),
    (
        "a_child_has_an_empty_provider_of_the_builtin",
        &[
            "module \"a\" {\n  source = \"./c\"\n}\n--- c/main.tf\nprovider \"terraform\" {\n}\nresource \"terraform_data\" \"x\" {\n}\n",
        ],
        &["W:Redundant empty provider block", "module.a.terraform_data.x create"],
    ),
];
