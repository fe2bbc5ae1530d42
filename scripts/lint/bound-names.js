/** Words that other names had for a bound, as parts of a constant's name. */
const CONSTANT = /^(?!MAX_|MIN_)\w+_(MAX|MIN)(_|$)|(^|_)(MOST|LEAST|LONGEST|LARGEST|DEEPEST|GREATEST)(_|$)/;

/** A field or variable whose bound comes last, or before its unit. */
const FIELD = /^[a-z]\w*(Max|Most|Min|Least)(Bytes|Chars|Ms|S|Px)?$/;

/** Names of others: an option of Connect's, and a field of the wire. */
const OF_OTHERS = new Set(['readMaxBytes', 'viewersMost']);

/**
 * Holds one name for bounds: `MAX_X`, `MIN_X`, `maxX` and `minX`, with the unit last. Six ways of naming them made readers search for a
 * bound under each.
 */
export default {
  meta: {
    type: 'suggestion',
    messages: { name: 'Name the bound {{ name }} as MAX_X, MIN_X, maxX or minX, with its unit last.' },
    schema: [],
  },
  create(context) {
    function check(node) {
      if (node?.type !== 'Identifier') return;
      const { name } = node;
      const isOther = name === name.toUpperCase() ? CONSTANT.test(name) : FIELD.test(name) && !OF_OTHERS.has(name);
      if (isOther) context.report({ node, messageId: 'name', data: { name } });
    }
    return {
      VariableDeclarator: ({ id }) => check(id),
      PropertyDefinition: ({ key }) => check(key),
      TSPropertySignature: ({ key }) => check(key),
      ':function > Identifier.params': check,
    };
  },
};
