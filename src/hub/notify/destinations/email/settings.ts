// Settings of e-mail, until the contract of destinations has them.

export interface EmailSettings {
  host: string;
  port: number;
  security: 'tls' | 'starttls' | 'none';
  user: string;
  password: string;
  from: string;
  to: string[];
  allowPrivate: boolean;
}
