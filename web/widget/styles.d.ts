// Style sheets and patterns that the bundle has as texts and values.
declare module "*.css" {
  const text: string;
  export default text;
}
