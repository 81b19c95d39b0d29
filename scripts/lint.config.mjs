import neostandard from 'neostandard'

/** What prettier does not see: neostandard's rules. Off is what this project means: wire names, one word for schema and type. */
export default [
  ...neostandard({ ts: true, noStyle: true, ignores: ['dist/**', '.tap/**', 'node_modules/**'] }),
  {
    rules: {
      '@typescript-eslint/no-redeclare': 'off',
      'valid-typeof': 'off',
      camelcase: 'off',
      'no-control-regex': 'off',
      'no-new': 'off',
      'no-template-curly-in-string': 'off',
      'no-unmodified-loop-condition': 'off',
      'no-void': 'off',
      'promise/param-names': 'off',
    },
  },
]
