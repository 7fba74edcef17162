//! The ephemeral resource `fake_token`.

use bytes::Bytes;
use ferroform::value::Value;
use ferroform_proto::google::protobuf::Timestamp;
use ferroform_proto::tfplugin6 as proto;

use super::{Fake, decode, encode, name_of, path, set};

impl Fake {
    pub(super) fn validate_token(
        &self,
        request: &proto::validate_ephemeral_resource_config::Request,
    ) -> (String, proto::validate_ephemeral_resource_config::Response) {
        (name_of(&decode(&request.config, &request.type_name)), Default::default())
    }

    pub(super) fn open(
        &self,
        request: &proto::open_ephemeral_resource::Request,
    ) -> (String, proto::open_ephemeral_resource::Response) {
        let mut value = decode(&request.config, &request.type_name);
        let name = name_of(&value);
        let lasts = value.get(&path("lasts")).and_then(Value::as_number).and_then(|it| it.to_u64());
        set(&mut value, "result", Value::from(format!("result of {name}")));
        set(&mut value, "pin", Value::from("0000"));
        let response = proto::open_ephemeral_resource::Response {
            result: encode(&value, &request.type_name),
            private: Some(format!("{name} {} 0", lasts.unwrap_or_default()).into()),
            renew_at: lasts.map(|lasts| self.after(lasts)),
            ..Default::default()
        };
        (name, response)
    }

    /// The private data are the name, how long it lasts, and how often it was renewed.
    pub(super) fn renew(
        &self,
        request: &proto::renew_ephemeral_resource::Request,
    ) -> (String, proto::renew_ephemeral_resource::Response) {
        let private = private(&request.private);
        let [name, lasts, count] = private.split(' ').collect::<Vec<_>>()[..] else { panic!("{private:?}") };
        let count: u32 = count.parse().unwrap();
        let response = proto::renew_ephemeral_resource::Response {
            private: Some(format!("{name} {lasts} {}", count + 1).into()),
            renew_at: Some(self.after(lasts.parse().unwrap())),
            ..Default::default()
        };
        (private, response)
    }

    pub(super) fn close(
        &self,
        request: &proto::close_ephemeral_resource::Request,
    ) -> (String, proto::close_ephemeral_resource::Response) {
        (private(&request.private), Default::default())
    }

    /// That many seconds from now on.
    fn after(&self, seconds: u64) -> Timestamp {
        let now = self.lock().clock.now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp { seconds: (now.as_secs() + seconds).try_into().unwrap(), nanos: 0 }
    }
}

fn private(wire: &Option<Bytes>) -> String {
    String::from_utf8(wire.clone().unwrap_or_default().to_vec()).unwrap()
}
