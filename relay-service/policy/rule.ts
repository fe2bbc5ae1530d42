/**
 * Why something is refused, as it is counted and shown in `GET …/adb`. The first ten are the spec's "always refused"; those up to
 * `unknown` are the wire contract's; then what is not a matter of the service asked for.
 */
export type Rule =
  | 'root'
  | 'remount'
  | 'reboot'
  | 'disable-verity'
  | 'reverse'
  | 'tcpip'
  | 'usb'
  | 'jdwp'
  | 'sideload'
  | 'restore'
  | 'unroot'
  | 'enable-verity'
  | 'track'
  | 'dev'
  | 'vsock'
  | 'acceptfd'
  | 'forward'
  | 'unknown'
  | 'login'
  | 'transfer'
  | 'address'
  | 'sessions';
