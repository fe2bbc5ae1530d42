// Writes the types of the REST API that the control panel is compiled against, from the OpenAPI document of the compiled gateway (dist/).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { contractsOver } from '../dist/gateway/contracts.js';
import { createJsonDecoders } from '../dist/gateway/json/decode.js';
import { EDGE_LIMITS } from '../dist/gateway/limits.js';
import { createDocument } from '../dist/gateway/reference/document.js';
import { routesOf } from '../dist/gateway/routes/route.js';
import { createJsonEncoders } from '../dist/kit/json/encode.js';

const FOLDER = 'gateway/panel/gen';
const nothing = {};
const codec = { decoders: createJsonDecoders(), encoderFor: createJsonEncoders() };
const contracts = contractsOver({ device: nothing, screen: nothing, relay: nothing, webhook: nothing });
const routes = contracts.flatMap((contract) => routesOf(contract, codec));
const document = createDocument({ routes, limits: EDGE_LIMITS, publicUrl: undefined });
const text = astToString(await openapiTypescript(document));

mkdirSync(FOLDER, { recursive: true });
const file = `${FOLDER}/api.ts`;
const old = (() => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
})();
if (old !== text) writeFileSync(file, text);
