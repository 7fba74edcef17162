//! Checks of the committed messages: they are what the `.proto` files give, protocol 5 and 6 differ exactly as
//! declared, and a few messages have the bytes computed by hand.

mod codegen;
