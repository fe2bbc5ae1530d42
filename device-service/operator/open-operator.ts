import { type Implementation, implement } from '../../kit/rpc/rpc-service.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import type { Devices } from '../devices/open-devices.js';
import type { Fleet } from '../fleet/open-fleet.js';
import { adminRpc } from './admin-rpc.js';

/** Opens the operations of the operator's command line: across accounts, hosts and devices. */
export function openOperator({
  devices,
  fleet,
  hasSecretsKey,
}: {
  devices: Devices;
  fleet: Fleet;
  /** Whether secrets in the database are sealed with SECRETS_KEY. */
  hasSecretsKey: boolean;
}): { rpc: Implementation[] } {
  return { rpc: [implement(AdminService, adminRpc(fleet.context, devices.forget, hasSecretsKey))] };
}
