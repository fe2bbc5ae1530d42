import type { Device } from '../../api/client.ts';

/** Props of each tab of a phone's page. */
export interface TabProps {
  device: Device;
}
