import type { ServiceImpl } from '@connectrpc/connect';
import { enumOf } from '../../kit/wire-words.js';
import { ExitTypeSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { NetworkService } from '../../proto/gen/cloudphone/device/v1/network_service_pb.js';
import type { ModelService } from '../../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { listModels, type PlaceParts } from '../hosts/place-phone.js';
import type { ExitProvider } from '../network/exits.js';

/** Unpack, call, pack: models and exits that can be had. */
export function modelRpc(places: PlaceParts): ServiceImpl<typeof ModelService> {
  return {
    listModels: async () => ({
      models: (await listModels(places)).map(({ model, name, android, screen, memoryMb }) => ({
        model,
        name,
        android: [...android],
        screen,
        memoryMb,
      })),
    }),
  };
}

export function networkRpc(exits: ExitProvider): ServiceImpl<typeof NetworkService> {
  return {
    listNetworkOptions: () => ({
      options: exits.options().map(({ type, country, timezones, rotates }) => ({
        type: enumOf(ExitTypeSchema, type),
        country,
        timezones: [...timezones],
        rotates,
      })),
    }),
  };
}
