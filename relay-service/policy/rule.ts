/**
 * Why something was refused, as it is counted and shown in `GET …/adb`. First come reasons that always hold, then those of the relay's own
 * rules. The last reasons do not depend on the service that was asked for.
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
  | 'length'
  | 'login'
  | 'transfer'
  | 'address'
  | 'sessions';
