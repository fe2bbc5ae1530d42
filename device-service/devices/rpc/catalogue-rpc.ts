import type { ServiceImpl } from '@connectrpc/connect';
import { pageOfAll } from '../../../kit/call/page.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { PhoneModel } from '../../../phone/driver.js';
import { ConditionKindSchema } from '../../../proto/gen/cloudphone/device/v1/conditions_pb.js';
import type { ModelService } from '../../../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { listModels } from '../hosts/place-phone.js';
import type { DevicesContext } from '../devices-context.js';

/** Adapts the list of models to its rpcs. */
export function modelRpc(places: DevicesContext): ServiceImpl<typeof ModelService> {
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

/** Returns the sort key of a model: models with the least memory come first. */
function bySize({ memoryMb, model }: PhoneModel): string {
  return `${String(memoryMb).padStart(9, '0')} ${model}`;
}
