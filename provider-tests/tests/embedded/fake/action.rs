//! The action `fake_act`, which does nothing.

use ferroform_proto::tfplugin6 as proto;

use super::{Fake, decode, name_of};

impl Fake {
    pub(super) fn validate_action(
        &self,
        request: &proto::validate_action_config::Request,
    ) -> (String, proto::validate_action_config::Response) {
        (name_of(&decode(&request.config, &request.type_name)), Default::default())
    }

    pub(super) fn plan_action(
        &self,
        request: &proto::plan_action::Request,
    ) -> (String, proto::plan_action::Response) {
        (name_of(&decode(&request.config, &request.action_type)), Default::default())
    }

    /// The only event.
    pub(super) fn invoke_action(
        &self,
        request: &proto::invoke_action::Request,
    ) -> (String, proto::invoke_action::Event) {
        use proto::invoke_action::event::{Completed, Type};
        let event = proto::invoke_action::Event { r#type: Some(Type::Completed(Completed::default())) };
        (name_of(&decode(&request.config, &request.action_type)), event)
    }
}
