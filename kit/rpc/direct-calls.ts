import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type MethodImpl,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import { CallLimit } from './call-limit.js';
import type { RpcService } from './rpc-service.js';

type UnaryMethod = DescMethodUnary;
type UnaryCall = MethodImpl<UnaryMethod>;
type Next = Parameters<Interceptor>[0];

/**
 * Unary calls to a service in the same process: the interceptors and then the implementation, with the message itself instead of
 * its bytes. Requests and responses are shared, not copied, so neither side may change a message that it has handed over.
 *
 * A caller that hangs up or whose time is up is answered at once; the implementation sees the same in its signal.
 */
export function directCalls(service: RpcService, clientInterceptors: readonly Interceptor[]): Transport['unary'] {
  const implementations = implementationsOf(service);
  const call: Next = async (request) => {
    const { method, header, contextValues, url } = request as UnaryRequest;
    const implementation = implementations.get(method);
    if (implementation === undefined)
      throw new ConnectError(`${method.toString()} is not implemented`, Code.Unimplemented);
    const context: HandlerContext = {
      method,
      service: method.parent,
      get signal() {
        return request.signal;
      },
      timeoutMs: () => undefined,
      requestMethod: 'POST',
      requestHeader: header,
      responseHeader: new Headers(),
      responseTrailer: new Headers(),
      protocolName: 'in-process',
      values: contextValues,
      url,
    };
    const answer = await implementation((request as UnaryRequest).message, context);
    return {
      stream: false,
      service: method.parent,
      method,
      header: context.responseHeader,
      trailer: context.responseTrailer,
      message: create(method.output, answer),
    } satisfies UnaryResponse;
  };
  const onion = [...clientInterceptors, ...service.interceptors].reduceRight((next, layer) => layer(next), call);

  return <I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    header: ConstructorParameters<typeof Headers>[0],
    input: MessageInitShape<I>,
    contextValues = createContextValues(),
  ) => {
    const limit = new CallLimit(signal, timeoutMs);
    const answer = onion({
      stream: false,
      service: method.parent,
      method,
      requestMethod: 'POST',
      url: `in-process:/${method.parent.typeName}/${method.name}`,
      get signal() {
        return limit.signal;
      },
      header: new Headers(header),
      contextValues,
      message: create(method.input, input),
    });
    return limit.hold(answer) as Promise<UnaryResponse<I, O>>;
  };
}

/** What `service.routes` registers, by method. */
function implementationsOf(service: RpcService): ReadonlyMap<object, UnaryCall> {
  const found = new Map<object, UnaryCall>();
  const recorder: ConnectRouter = {
    handlers: [],
    service: (contract, implementation) => {
      for (const method of contract.methods) {
        const own = (implementation as Record<string, UnaryCall | undefined>)[method.localName];
        if (method.methodKind === 'unary' && own !== undefined) found.set(method, own.bind(implementation));
      }
      return recorder;
    },
    rpc: (method, implementation) => {
      if (method.methodKind === 'unary') found.set(method, implementation as UnaryCall);
      return recorder;
    },
  };
  service.routes(recorder);
  return found;
}
