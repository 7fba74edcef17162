terraform {
  required_providers {
    labels = {
      source = "example.com/ferroform/labels"
    }
  }

  provider_meta "labels" {
    module = "network"
    team   = "core"
  }
}

variable "text" {}

resource "labels_label" "a" {
  text = var.text
}
