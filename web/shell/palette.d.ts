// palette.js is made from palette.toml at build time.
declare const palette: Record<'light' | 'dark', Record<string, string>>
export default palette
