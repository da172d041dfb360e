import prettier from 'eslint-config-prettier'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

const noBareSleep =
  'Wait for an event or poll with a bound: a bare sleep is slow on a good day and flaky on a bad one.'

const noMeasuredDuration =
  'A busy machine takes longer. Assert order, or that it happens soon (testkit) or in time (suite.expectInTime): durations are asserted in virtual time.'

/** What `expect` is given before an upper bound. */
const bounded =
  'CallExpression[callee.property.name=/^toBeLessThan/] > MemberExpression.callee > CallExpression.object'

const measured = [
  "BinaryExpression[operator='-'][left.callee.property.name='now']",
  "BinaryExpression[operator='-'][left.callee.name='nowMs']",
  'Identifier[name=/^(took|elapsed|waited|held|passed)Ms$/]',
].map((what) => ({ selector: `${bounded} ${what}`, message: noMeasuredDuration }))

export default defineConfig(
  globalIgnores(['**/build/', '**/dist/', '**/.cache/', '**/coverage/', 'packages/*/src/**/generated.ts']),
  {
    files: [
      '{packages,verification}/*/{src,test}/**/*.ts',
      '{bench,examples}/{src,test}/**/*.ts',
      'packages/cli/page/**/*.{ts,tsx}',
    ],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    // One program over sources, specs and tests, in which packages find each other's sources: needs no build.
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreUsingDeclarations: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // One overload per documented case reads better than a union that covers all of them.
      '@typescript-eslint/unified-signatures': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // An empty environment variable or line is as good as none.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // Runs in browsers, so it has a program of its own.
    files: ['packages/cli/page/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        project: './packages/cli/tsconfig.page.json',
        tsconfigRootDir: import.meta.dirname,
      },
    },
  },
  {
    files: [
      '**/*.{spec,test}.{ts,mjs}',
      '{packages,verification}/*/test/**/*.ts',
      '{bench,examples}/test/**/*.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "NewExpression[callee.name='Promise'] > ArrowFunctionExpression CallExpression[callee.name='setTimeout'][arguments.0.type='Identifier']",
          message: noBareSleep,
        },
        ...measured,
      ],
      'no-restricted-imports': ['error', { name: 'node:timers/promises', message: noBareSleep }],
      '@typescript-eslint/no-empty-function': 'off',
      // Tests also try what a careless caller would throw.
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
    },
  },
  {
    files: ['verification/conformance/src/scenarios/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...measured] },
  },
  {
    // Applications of Nest: its decorators need other compiler options, and its modules are classes without members.
    files: ['packages/nestjs/test/app/*.ts', 'examples/src/nestjs.ts', 'examples/src/nestjs/*.ts'],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.nest.json',
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['test/consumers/**/*.{ts,cts,mts}'],
    extends: [tseslint.configs.strict],
    // `import x = require()` is how TypeScript writes CommonJS.
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.{js,mjs}'],
    extends: [tseslint.configs.recommended],
    rules: { eqeqeq: ['error', 'always', { null: 'ignore' }] },
  },
  prettier,
)
