/** A broker that is told events. */
export interface MqttSettings {
  kind: 'mqtt';
  host: string;
  port: number;
  tls: boolean;
  /** PEM text of the authority behind the broker's certificate; empty: the usual ones. */
  ca: string;
  /** Empty: without a login. */
  user: string;
  password: string;
  /** Beginning of all topics. */
  topic: string;
  /** Announces the hub to Home Assistant. */
  discovery: boolean;
  allowPrivate: boolean;
}
