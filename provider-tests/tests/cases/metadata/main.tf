terraform {
  provider_meta "labels" {
    module = "root"
  }
}

variable "text" {}

resource "labels_label" "a" {
  text = var.text
}

data "labels_label" "a" {
  text = var.text
}

module "network" {
  source = "./network"
  text   = var.text
}

module "plain" {
  source = "./plain"
  text   = var.text
}

output "read" {
  value = data.labels_label.a.made_for
}
