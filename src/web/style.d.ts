/** A file imported as text; esbuild puts it into the bundle. */
declare module '*.css' {
  const text: string
  export default text
}
