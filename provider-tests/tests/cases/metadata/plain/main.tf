terraform {
  required_providers {
    labels = {
      source = "example.com/ferroform/labels"
    }
  }
}

variable "text" {}

resource "labels_label" "a" {
  text = var.text
}
