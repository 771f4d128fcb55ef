// Services that a household talks to: names and public addresses as data. Nothing contacts them; simulators print them in
// their tables. Names are real where a service is known by one, else below `.example` (RFC 2606).

export interface Service {
  name: string;
  addresses: readonly string[];
}

const service = (name: string, ...addresses: string[]): Service => ({ name, addresses });

/** Web, video, games and clouds. */
export const webServices: readonly Service[] = [
  service('www.google.com', '142.250.196.110', '142.250.207.46', '172.217.25.163'),
  service('www.youtube.com', '216.58.220.100'),
  service('www.apple.com', '17.253.144.10'),
  service('www.icloud.com', '17.248.162.5'),
  service('login.microsoftonline.com', '20.190.151.7', '40.126.35.80'),
  service('outlook.office365.com', '52.96.165.18'),
  service('www.linkedin.com', '13.107.42.14'),
  service('github.com', '140.82.112.3', '140.82.121.6'),
  service('www.reddit.com', '151.101.1.140'),
  service('stackoverflow.com', '198.252.206.16'),
  service('www.cloudflare.com', '104.16.132.229'),
  service('images.shop.example', '104.18.32.47'),
  service('static.news.example', '23.215.0.136', '23.32.45.80'),
  service('www.amazon.com', '54.239.28.85', '18.65.100.1'),
  service('s3.amazonaws.com', '52.216.1.1', '3.5.140.2'),
  service('api.travel.example', '13.225.103.10', '99.84.1.1'),
  service('s3-ap-southeast-2.amazonaws.com', '13.54.1.1'),
  service('www.facebook.com', '31.13.82.36', '157.240.31.35'),
  service('www.dropbox.com', '162.125.248.18'),
  service('video.netflix.example', '45.57.90.1', '198.38.120.10'),
  service('api.spotify.com', '35.186.224.25', '104.199.65.124'),
  service('www.wikipedia.org', '208.80.154.224'),
  service('www.yahoo.co.jp', '182.22.25.124', '203.216.243.240'),
  service('line.me', '147.92.185.1'),
  service('www.rakuten.co.jp', '133.237.16.1'),
  service('www.iij.ad.jp', '210.130.1.1'),
  service('blog.sakura.example', '49.212.1.1', '153.120.1.1'),
  service('www.bbc.co.uk', '212.58.237.1'),
  service('www.heise.de', '193.99.144.80'),
  service('cloud.family.example', '88.198.1.1', '116.203.1.1', '195.201.1.1'),
  service('mirror.linux.example', '51.15.1.1', '51.91.236.193', '145.97.1.1'),
  service('shop.aliexpress.example', '47.74.1.1', '161.117.1.1'),
  service('www.qq.com', '203.205.254.1'),
  service('www.kakao.com', '211.249.220.24'),
  service('www.naver.com', '223.130.200.107'),
  service('www.uol.com.br', '200.147.3.157'),
  service('store.steampowered.com', '162.254.193.6', '155.133.246.1', '208.64.202.69'),
  service('web.telegram.org', '149.154.167.50'),
  service('update.bitdefender.example', '81.161.59.1'),
  service('forum.games.example', '139.162.1.1', '172.104.1.1'),
];

export const nameServers: readonly Service[] = [
  service('one.one.one.one', '1.1.1.1'),
  service('dns.google', '8.8.8.8'),
  service('dns9.quad9.net', '9.9.9.9'),
];

export const timeServers: readonly Service[] = [
  service('ntp.nict.jp', '133.243.238.163'),
  service('time.cloudflare.com', '162.159.200.1'),
];

/** Where telephones keep a session open for messages. */
export const pushServices: readonly Service[] = [
  service('courier.push.apple.com', '17.57.144.22'),
  service('mtalk.google.com', '108.177.125.188'),
];

/** What the smart plug reports to, every five minutes. */
export const deviceCloud = service('telemetry.device-cloud.example', '47.88.1.1');

/**
 * What the simulated feeds list (`feeds/listing.ts`). Documentation addresses (RFC 5737): nobody real is accused, and so
 * they have no country.
 */
export const listedServices = {
  /** Listed with this port. */
  ioc: service('cdn-update.example', '203.0.113.77'),
  /** Listed with another port than the one that is used. */
  c2: service('status.mail-relay.example', '203.0.113.44'),
} as const;
