import type { Device } from '../../api/client.ts';

/** What each tab of a phone's page gets. */
export interface TabProps {
  device: Device;
}
