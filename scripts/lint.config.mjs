import neostandard from 'neostandard'

/** Lint and format in one: neostandard, with trailing commas. Off is what this project means: wire names, one word for schema and type. */
export default [
  ...neostandard({ ts: true, ignores: ['dist/**', '.tap/**', 'node_modules/**'] }),
  {
    rules: {
      '@stylistic/space-before-function-paren': ['error', { anonymous: 'always', named: 'never', asyncArrow: 'always' }],
      '@stylistic/comma-dangle': ['error', 'always-multiline'],
      '@stylistic/generator-star-spacing': ['error', { before: false, after: true }],
      '@stylistic/yield-star-spacing': ['error', { before: false, after: true }],
      '@stylistic/indent': 'off',
      '@stylistic/quotes': ['error', 'single', { avoidEscape: true, allowTemplateLiterals: true }],
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
