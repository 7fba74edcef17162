variable "x" {
  validation {
    condition     = var.x != "bad"
    error_message = "Not this."
  }
}
output "out" {
  value = var.x
  precondition {
    condition     = var.x != "worse"
    error_message = "Nor this."
  }
}
