export * from "terra-draw";
// Its types hide what a page with a strict policy has to replace.
export const TerraDrawLeafletAdapter: any;
