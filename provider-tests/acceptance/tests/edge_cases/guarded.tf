resource "corner_guarded" "this" {
  label      = "g"
  length     = var.text
  characters = var.text
  one_of     = var.text
  any_case   = var.text
  none_of    = var.text
  matches    = var.text
  satisfies  = var.text
  any        = var.text
  not        = var.text
  list       = [var.text, var.text]
  set        = [var.text]
  map        = { key = var.text }
  number     = var.number
  chosen     = var.number
  most       = var.number
  whole      = var.number
  flag       = var.number == 0
  conflicts  = var.text
  requires   = var.text
  json       = var.text
  duration   = var.text
  address    = var.text
  cidr       = var.text
  decimal    = var.text
  base64     = var.text
}
