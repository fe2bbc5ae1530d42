/**
 * Why something was refused, as it is counted and shown in `GET …/adb`: first reasons that always hold, then those of the relay's
 * own rules, then reasons that have nothing to do with the service.
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
