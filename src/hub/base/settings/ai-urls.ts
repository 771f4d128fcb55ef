// Addresses of AI services that a test or the demo puts in place of the official ones.

/** Addresses by service, without a slash at the end. */
export interface AiUrls {
  cloud_a: string;
  cloud_b: string;
  cloud_c_runtime: string;
  cloud_c_control: string;
}
