// Style sheets and patterns that the bundle contains as strings and values.
declare module "*.css" {
  const text: string;
  export default text;
}
