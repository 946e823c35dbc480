export const Static: any, labelRules: any, leafletLayer: any, paintRules: any;
