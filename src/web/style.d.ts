/** A file as its text: esbuild puts it into the program. */
declare module '*.css' {
  const text: string
  export default text
}
