terraform {
  required_providers {
    @NAME@ = {
      source = "@NAMESPACE@/@NAME@"
    }
  }
}

provider "@NAME@" {
  @SETTING@
}
