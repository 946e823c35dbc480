declare const L: any;
export default L;
