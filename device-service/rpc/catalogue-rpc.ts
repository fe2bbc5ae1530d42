import type { ServiceImpl } from '@connectrpc/connect';
import type { ModelService } from '../../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { listModels, type PlaceParts } from '../hosts/place-phone.js';

/** Unpack, call, pack: models that can be had. */
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
