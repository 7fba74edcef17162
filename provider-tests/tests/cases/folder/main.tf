variable "prefix" {
  type = string
}

variable "size" {
  type    = number
  default = 1
}

module "names" {
  source = "./names"
  prefix = var.prefix
}

resource "demo_thing" "a" {
  name = module.names.web
  size = var.size
}
