/** Addresses that no webhook may reach: loopback, private, link-local, shared, reserved, and IPv6 that carries them inside. */
const v4 = [
  '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '127.0.0.1', '127.0.0.2', '127.1.2.3',
  '127.255.255.254', '169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.254', '192.0.0.1', '192.0.0.192',
  '192.0.2.1', '192.88.99.1', '192.168.0.1', '192.168.255.254', '198.18.0.1', '198.19.255.254', '198.51.100.1', '203.0.113.1',
  '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255',
]; // prettier-ignore

const v6 = [
  '::', '::1', '0:0:0:0:0:0:0:1', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '100::1', '2001::1', '2001:0:7f00:1::', '2001:10::1',
  '2001:20::1', '2001:db8::1', '2002:7f00:1::', '2002:a00:1::', '2002:c0a8:1::1', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fe80::1',
  'fe80::a9fe:a9fe', 'febf::1', 'fec0::1', 'ff02::1', 'ff05::2', '4000::1', '8000::1', 'e000::1',
]; // prettier-ignore

/** Every way in which URL parsers read the IPv4 address as a host. */
function spellings(address: string): string[] {
  const bytes = address.split('.').map(Number) as [number, number, number, number];
  const whole = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const [a, b, c, d] = bytes;
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const octal = (value: number): string => `0${value.toString(8)}`;
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    octal(whole),
    bytes.map(hex).join('.'),
    bytes.map(octal).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    address.replace(/\d/g, '%3$&'),
    address.replaceAll('.', '\u3002'),
    address.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    `user@${address}`,
    `8.8.8.8@${address}`,
    `8.8.8.8%40@${address}`,
  ];
}

/** Hosts, as they stand in URLs, none of which may be connected to. */
export const forbiddenHosts: readonly string[] = [
  ...['127.0.0.1', '0.0.0.0', '10.0.0.1', '169.254.169.254', '192.168.1.1', '172.16.0.1', '100.64.0.1'].flatMap(
    spellings,
  ),
  ...v4,
  ...v6.map((address) => `[${address}]`),
  ...v6.slice(0, 10).map((address) => `[${address.toUpperCase()}]`),
  '127.1',
  '127.0.1',
  '0',
  '0x0',
  '00',
  '0x7f.1',
  '0177.1',
  '0x7f.0x1',
  '017700000001',
  '%31%32%37.0.0.1',
  '\u2460\u2461\u2466.0.0.1',
];

/** Addresses with which a name server may answer, one at a time, each of which must close the door. */
export const forbiddenAddresses: readonly string[] = [...v4, ...v6];
