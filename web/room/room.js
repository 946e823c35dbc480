// The room. A placeholder: it shows that the page, its base and what the service told it have arrived.
const service = JSON.parse(document.getElementById("service").textContent);
document.getElementById("room").textContent = `Geodesign ${service.version}`;
