import { ESLintUtils } from '@typescript-eslint/utils';

/** Functions of Promise that handle each promise they are given, at once. */
const COMBINATORS = new Set(['all', 'allSettled', 'race', 'any']);

/** Functions of Promise whose promises cannot reject. */
const NEVER_REJECTS = new Set(['resolve', 'allSettled']);

/** Methods of collections that return a promise which was begun, and kept, before. */
const LOOK_UPS = new Set(['get', 'shift', 'pop', 'at']);
const COLLECTIONS = new Set(['Map', 'ReadonlyMap', 'WeakMap', 'LRUCache', 'Array', 'ReadonlyArray']);

/**
 * Refuses a promise that is begun in one place and awaited in another. It may reject before, when nobody listens, and an unhandled
 * rejection is an error of the whole process. `begunAhead` (kit/async/begun-ahead.ts) is the way to begin work ahead.
 *
 * A call begins a promise. It is fine where it is awaited, returned or yielded at once, and where `.catch` or the second argument of
 * `.then` handles its failure. It is also fine as an argument of a function that handles it at once: those of Promise, and `handlers`, the
 * rule's option.
 */
export default ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'problem',
    messages: {
      kept: 'This promise may reject before it is awaited, and nobody listens: begin it with begunAhead(…).',
      chained: 'The promise of finally() fails as the one before it does, and nobody listens: give it a catch.',
    },
    schema: [{ type: 'object', properties: { handlers: { type: 'array', items: { type: 'string' } } } }],
  },
  defaultOptions: [{ handlers: [] }],
  create(context, [options]) {
    const handlers = new Set(['begunAhead', ...options.handlers]);
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();

    const isPromise = (type) =>
      (type.isUnion() ? type.types : [type]).some((part) => part.getProperty('then') && part.getProperty('catch'));
    const arePromises = (type) => {
      const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type) : [];
      return element !== undefined && isPromise(element);
    };

    return { CallExpression: check, NewExpression: check };

    function check(node) {
      if (isSafe(node)) return;
      const type = services.getTypeAtLocation(node);
      if (!isPromise(type) && !arePromises(type)) return;
      const messageId = faultOf(node);
      if (messageId !== undefined) context.report({ node, messageId });
    }

    /** Whether it cannot reject, or is handled here. */
    function isSafe(node) {
      if (node.type === 'NewExpression') return node.arguments[0]?.params?.length === 1; // (resolve) => …
      if (node.type !== 'CallExpression') return false;
      if (handlers.has(nameOf(node.callee))) return true;
      if (node.callee.type !== 'MemberExpression') return false;
      const [name, { length: given }] = [nameOf(node.callee), node.arguments];
      if (LOOK_UPS.has(name) && isCollection(node.callee.object)) return true;
      if (node.callee.object.name === 'Promise') return NEVER_REJECTS.has(name);
      if (name === 'catch') return given > 0;
      if (name === 'then') return (given > 1 && node.arguments[1].name !== 'undefined') || isSafe(node.callee.object);
      return name === 'finally' && isSafe(node.callee.object);
    }

    function isCollection(node) {
      const type = checker.getApparentType(services.getTypeAtLocation(node));
      return COLLECTIONS.has(type.symbol?.name);
    }

    function faultOf(node) {
      const { parent } = node;
      switch (parent.type) {
        case 'TSAsExpression':
        case 'TSSatisfiesExpression':
        case 'TSNonNullExpression':
        case 'ChainExpression':
        case 'LogicalExpression':
        case 'ArrayExpression':
        case 'SpreadElement':
          return faultOf(parent);
        case 'ConditionalExpression':
          return parent.test === node ? undefined : faultOf(parent);
        case 'UnaryExpression':
          return parent.operator === 'void' && isFinally(node) ? 'chained' : undefined;
        case 'CallExpression':
          return parent.callee === node || handlesAtOnce(parent.callee) ? undefined : 'kept';
        case 'NewExpression':
        case 'VariableDeclarator':
        case 'AssignmentExpression':
        case 'AssignmentPattern':
        case 'Property':
        case 'PropertyDefinition':
        case 'TemplateLiteral':
          return 'kept';
        // Awaited, returned or yielded; the object of a chain's next step, which is examined by itself; no place that keeps it.
        default:
          return undefined;
      }
    }

    function handlesAtOnce(callee) {
      const name = nameOf(callee);
      if (handlers.has(name)) return true;
      return callee.type === 'MemberExpression' && callee.object.name === 'Promise' && COMBINATORS.has(name);
    }
  },
});

function isFinally(node) {
  return node.type === 'CallExpression' && nameOf(node.callee) === 'finally';
}

function nameOf(callee) {
  return callee.type === 'MemberExpression' && !callee.computed ? callee.property.name : callee.name;
}
