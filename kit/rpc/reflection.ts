import { create, createRegistry, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import * as alpha from '../../proto/gen/grpc/reflection/v1alpha/reflection_pb.js';
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '../../proto/gen/grpc/reflection/v1/reflection_pb.js';

/** The contracts of reflection itself. */
export const REFLECTION: readonly DescService[] = [ServerReflection, alpha.ServerReflection];

type Reply = ServerReflectionResponse['messageResponse'];

/**
 * Registers gRPC server reflection, so that tools such as grpcurl work without our proto files. Older tools ask only for v1alpha, which
 * differs from v1 by its name alone.
 */
export function registerReflection(router: ConnectRouter, contracts: readonly DescService[]): void {
  const respond = responder(contracts);
  async function* converse(requests: AsyncIterable<ServerReflectionRequest | alpha.ServerReflectionRequest>) {
    for await (const request of requests) {
      yield { validHost: request.host, messageResponse: respond(request as ServerReflectionRequest) };
    }
  }
  router.service(ServerReflection, {
    serverReflectionInfo: async function* (requests) {
      for await (const { validHost, messageResponse } of converse(requests)) {
        yield create(ServerReflectionResponseSchema, { validHost, messageResponse });
      }
    },
  });
  router.service(alpha.ServerReflection, {
    serverReflectionInfo: async function* (requests) {
      for await (const { validHost, messageResponse } of converse(requests)) {
        yield create(alpha.ServerReflectionResponseSchema, {
          validHost,
          messageResponse: messageResponse as alpha.ServerReflectionResponse['messageResponse'],
        });
      }
    },
  });
}

function responder(contracts: readonly DescService[]): (request: ServerReflectionRequest) => Reply {
  const listed = [...contracts, ...REFLECTION];
  const files = new Map<string, DescFile>();
  for (const { file } of listed) collect(file, files);
  const registry = createRegistry(...files.values());

  const withImports = (file: DescFile | undefined, wanted: string): Reply => {
    if (file === undefined) return notFound(wanted);
    const wantedFiles = new Map<string, DescFile>();
    collect(files.get(file.proto.name) ?? file, wantedFiles);
    const fileDescriptorProto = [...wantedFiles.values()].map(({ proto }) =>
      toBinary(FileDescriptorProtoSchema, proto),
    );
    return {
      case: 'fileDescriptorResponse',
      value: { $typeName: 'grpc.reflection.v1.FileDescriptorResponse', fileDescriptorProto },
    };
  };

  return ({ messageRequest }) => {
    switch (messageRequest.case) {
      case 'fileByFilename':
        return withImports(files.get(messageRequest.value), messageRequest.value);
      case 'fileContainingSymbol': {
        const symbol = messageRequest.value;
        // A method or a field is found through its parent.
        const found = registry.get(symbol) ?? registry.get(symbol.slice(0, symbol.lastIndexOf('.')));
        return withImports(found?.file, symbol);
      }
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = messageRequest.value;
        const extendee = registry.getMessage(containingType);
        const found = extendee && registry.getExtensionFor(extendee, extensionNumber);
        return withImports(found?.file, `${containingType} extension ${extensionNumber}`);
      }
      case 'allExtensionNumbersOfType': {
        const baseTypeName = messageRequest.value;
        const extensionNumber = [...registry]
          .filter((type) => type.kind === 'extension' && type.extendee.typeName === baseTypeName)
          .map((type) => (type.kind === 'extension' ? type.number : 0));
        return {
          case: 'allExtensionNumbersResponse',
          value: { $typeName: 'grpc.reflection.v1.ExtensionNumberResponse', baseTypeName, extensionNumber },
        };
      }
      case 'listServices':
        return {
          case: 'listServicesResponse',
          value: {
            $typeName: 'grpc.reflection.v1.ListServiceResponse',
            service: listed.map(({ typeName }) => ({
              $typeName: 'grpc.reflection.v1.ServiceResponse',
              name: typeName,
            })),
          },
        };
      case undefined:
        return error(Code.InvalidArgument, 'empty request');
    }
  };
}

function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.proto.name)) return;
  for (const imported of file.dependencies) collect(imported, into);
  into.set(file.proto.name, file);
}

function notFound(wanted: string): Reply {
  return error(Code.NotFound, `not found: ${wanted}`);
}

function error(errorCode: Code, errorMessage: string): Reply {
  return { case: 'errorResponse', value: { $typeName: 'grpc.reflection.v1.ErrorResponse', errorCode, errorMessage } };
}
