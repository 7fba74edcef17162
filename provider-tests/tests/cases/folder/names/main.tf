variable "prefix" {
  type = string
}

output "web" {
  value = "${var.prefix}-web"
}
