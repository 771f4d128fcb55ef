// One message for an MQTT broker.

export interface Message {
  topic: string;
  payload: string;
  retain: boolean;
}
