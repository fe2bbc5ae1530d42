import { getOption } from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import type { Transport } from '@connectrpc/connect';
import { expect } from 'chai';
import { field as fieldRules } from '../proto/gen/buf/validate/validate_pb.js';
import { contractsOver } from './contracts.js';

describe('the contracts of the edge', () => {
  // The tests read only the descriptors of the contracts.
  const nowhere = {} as Transport;
  const contracts = contractsOver({ device: nowhere, screen: nowhere, relay: nowhere, webhook: nowhere });

  it('have an example for each pattern, which error texts show in its place', () => {
    const patterns = [];
    for (const { descriptor } of contracts) {
      for (const message of nestedTypes(descriptor.file)) {
        if (message.kind !== 'message') continue;
        for (const field of message.fields) {
          const { type } = getOption(field, fieldRules);
          if (type.case !== 'string' || type.value.pattern === '') continue;
          patterns.push(field.name);
          expect(type.value.example, field.toString()).to.have.length(1);
          expect(type.value.example[0], field.toString()).to.match(new RegExp(type.value.pattern));
        }
      }
    }
    expect(patterns).to.include('country');
  });
});
