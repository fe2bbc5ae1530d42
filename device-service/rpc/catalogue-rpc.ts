import type { ServiceImpl } from '@connectrpc/connect';
import { pageOfAll } from '../../kit/page.js';
import { enumOf } from '../../kit/wire-words.js';
import type { PhoneModel } from '../../phone/driver.js';
import { ConditionKindSchema } from '../../proto/gen/cloudphone/device/v1/conditions_pb.js';
import type { ModelService } from '../../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { listModels, type PlaceParts } from '../hosts/place-phone.js';

/** Unpack, call, pack: models that can be had. */
export function modelRpc(places: PlaceParts): ServiceImpl<typeof ModelService> {
  return {
    listModels: async (request) => {
      const { items, ...page } = pageOfAll(await listModels(places), request, bySize);
      const models = items.map(({ conditions, android, ...listed }) => {
        const { model, name, screen, memoryMb, driver, snapshots, exits } = listed;
        return {
          ...{ model, name, android: [...android], screen, memoryMb, driver, snapshots, exits },
          conditions: conditions.map((word) => enumOf(ConditionKindSchema, word)),
        };
      });
      return { models, ...page };
    },
  };
}

/** Sort key of a model: those with the least memory first. */
function bySize({ memoryMb, model }: PhoneModel): string {
  return `${String(memoryMb).padStart(9, '0')} ${model}`;
}
