import { type Implementation, implement } from '../../kit/rpc/rpc-service.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import type { Devices } from '../devices/open-devices.js';
import type { Fleet } from '../fleet/open-fleet.js';
import type { AuditTrail } from '../accounts/audit/audit-trail.js';
import { adminRpc } from './admin-rpc.js';
import { auditOperator } from './audit-operator.js';

/** Opens the operations of the operator's command line: across accounts, hosts and devices. */
export function openOperator({
  devices,
  fleet,
  hasSecretsKey,
  trail,
}: {
  devices: Devices;
  fleet: Fleet;
  /** Whether secrets in the database are sealed with SECRETS_KEY. */
  hasSecretsKey: boolean;
  /** Writes the audit log. */
  trail: AuditTrail;
}): { rpc: Implementation[] } {
  const { accounts, keys, clock } = fleet.context;
  const commands = auditOperator(adminRpc(fleet.context, devices.forget, hasSecretsKey), {
    trail,
    clock,
    accountOf: async ({ email, id }) => {
      if (email !== undefined) return (await accounts.findByEmail(email))?._id;
      return id === undefined ? undefined : (await keys.findGood([id], new Date(clock.now())))[0]?.accountId;
    },
  });
  return { rpc: [implement(AdminService, commands)] };
}
