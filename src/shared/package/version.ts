import packageJson from '../../../package.json' with { type: 'json' }

/** As in package.json; the bundler puts it into dist/. */
export const { version } = packageJson
