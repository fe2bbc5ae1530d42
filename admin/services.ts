import type { Client } from '@connectrpc/connect';
import type { AdminService } from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import type { RelayAdminService } from '../proto/gen/cloudphone/relay/v1/relay_admin_service_pb.js';
import type { Output } from './output.js';
import type { Words } from './words.js';

type Admin = Client<typeof AdminService>;

export interface Services {
  admin: Admin;
  relays: Client<typeof RelayAdminService>;
  /** Called when a command needs a password that was not given. */
  readPassword: () => Promise<string>;
  wait: (ms: number) => Promise<void>;
  /** Gets a line about what a command that takes long does. It is not part of its output. */
  onLine: (line: string) => void;
}

/** The function of each command. Its options are those that words.ts lists for the command; required options are always given. */
export type Commands = Record<string, (services: Services, options: Words['options']) => Promise<Output>>;
